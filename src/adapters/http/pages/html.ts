/** Text that is HTML already: made by `html`, and by nothing else. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** What may stand in a template. Nothing is written for `undefined` and `false`. */
export type HtmlValue = string | number | undefined | false | Html | readonly Html[];

/**
 * The one way in which text becomes part of a page: all of it is escaped, also for attributes in double
 * quotes, but for what is HTML already. Attributes are always quoted in our templates; a test of all pages
 * holds us to it.
 */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(written)));
}

function written(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'string') return escape(value);
  if (typeof value === 'number') return String(value);
  if (value instanceof Html) return value.text;
  return value.map(String).join('');
}

const NAMES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * Control characters have no place in HTML, and those that turn the direction of writing would show something
 * else than there is.
 */
function escape(text: string): string {
  return text
    .replaceAll(/[&<>"']/g, (letter) => NAMES[letter] ?? '')
    .replaceAll(/(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

/** The parts one after another, for lists of unknown length. */
export function joined(parts: readonly Html[], between: Html = new Html('')): Html {
  return new Html(parts.map(String).join(between.text));
}
