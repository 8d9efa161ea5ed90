// What happened, step by step: every request with its answer, every trouble, every turn of the clock. Read when something contradicts.

export interface Journal {
  /** The number of a step that begins now. */
  begin(): number;
  /** What a step came to; one line. */
  end(step: number, who: string, text: string): void;
  note(who: string, text: string): void;
  readonly steps: number;
  /** The last lines, and those that name one of the subjects however long ago. */
  lines(last: number, about?: readonly string[]): string[];
}

export function createJournal(): Journal {
  const started = performance.now();
  const written: { readonly who: string; readonly line: string }[] = [];
  let steps = 0;
  const write = (step: number, who: string, text: string): void => {
    const ms = String(Math.round(performance.now() - started)).padStart(6);
    written.push({ who, line: `${ms} ms  ${String(step).padStart(4)}  ${who.padEnd(5)} ${text}` });
  };
  return {
    begin: () => ++steps,
    end: write,
    note: (who, text) => write(++steps, who, text),
    get steps() {
      return steps;
    },
    lines(last, about = []) {
      const from = written.length - last;
      return written
        .filter(({ who, line }, i) => i >= from || about.some((one) => who === one || line.includes(one)))
        .map(({ line }) => line);
    },
  };
}
