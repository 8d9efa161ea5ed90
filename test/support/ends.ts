// What a test file opened is closed when the file ends, the last first. Several files may share a process (test/run.ts).
import { after } from 'node:test';

type End = () => Promise<unknown>;

const ends: End[] = [];

/** To be called by whoever opens something for a test file: a server, a database, a browser. */
export function atEnd(end: End): void {
  ends.push(end);
}

export async function endFile(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}

// The end of a file that has its process for itself.
after(endFile);
