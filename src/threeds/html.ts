// HTML that can't be broken out of: what is put into a template is text unless it was made by a template.

/** Markup that was made by `html` or is our own constant. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text nodes and quoted attribute values. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ESCAPES[char] as string);

type Part = Html | string | number | null | readonly Html[];

function render(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map((one) => one.text).join('');
  return escapeHtml(String(part));
}

/** Tagged template: values are escaped, `Html` values and lists of them stand as they are, null is nothing. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.reduce((text, string, i) => text + render(parts[i - 1] ?? null) + string));
