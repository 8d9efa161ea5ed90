// The one HTML template: what stands between the tags is text, unless this template made it or a caller vouches for it.
// Rule: attribute values stand in quotes in the template; nothing that came from outside is ever marked as trusted.

/** Markup, made by `html` or vouched for by `trusted`. Not exported as a value: there is no third way to make it. */
class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type { Html };

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text between tags and within quoted attribute values. */
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);

type Part = string | number | Html | null | false | readonly Html[];

const rendered = (part: Part): string => {
  if (part === null || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(rendered).join('');
  return escaped(String(part));
};

/** Tagged template: values are escaped, markup and lists of it stand as they are, null and false are nothing. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.reduce((text, string, i) => text + rendered(parts[i - 1] ?? null) + string));

/** Markup that one of our own rooms has made, or a constant of the source. */
export const trusted = (text: string): Html => new Html(text);
