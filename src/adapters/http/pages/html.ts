/** Text that is HTML already. Only `html`, `joined` and `markFormAnswer` create it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** A value in a template. `undefined` and `false` write nothing. */
export type HtmlValue = string | number | undefined | false | Html | readonly Html[];

/**
 * The only way in which text becomes part of a page. Escapes every value that is not HTML already, also for
 * use in attributes in double quotes. Attributes in our templates are always quoted; a test checks all pages.
 */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(renderValue)));
}

function renderValue(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'string') return escape(value);
  if (typeof value === 'number') return String(value);
  if (value instanceof Html) return value.text;
  return value.map(String).join('');
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return printable(text.replaceAll(/[&<>"']/g, (letter) => ENTITIES[letter] ?? ''));
}

/** Replaces control characters, which HTML forbids, and characters that change the text direction. */
export function printable(text: string): string {
  return text.replaceAll(/(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

/** Joins parts, for lists of unknown length. */
export function joined(parts: readonly Html[], between: Html = new Html('')): Html {
  return new Html(parts.map(String).join(between.text));
}
