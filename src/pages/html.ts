// HTML with escaping by default: what stands between the tags is text unless this file made it.
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);

type Part = string | number | Html | null | false | readonly Html[];

const rendered = (part: Part): string => {
  if (part === null || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(rendered).join('');
  return escaped(String(part));
};

export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.reduce((out, string, i) => out + string + (i < parts.length ? rendered(parts[i] as Part) : ''), ''));

/** Markup that one of our own rooms has made and answers for. */
export const trusted = (text: string): Html => new Html(text);
