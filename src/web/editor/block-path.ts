/**
 * A block, bracket or object that is open at a position of the text. Brackets and objects have an empty name.
 * `attribute` is the attribute whose value contains them.
 */
export interface OpenBlock {
  name: string;
  labels: string[];
  attribute?: string;
}

export interface TextPlace {
  /** The blocks and brackets that are open, outermost first. */
  blocks: OpenBlock[];
  /** The words and labels before the place on its line. Empty if they cannot be the beginning of a block. */
  header: string[];
  /** The attribute whose value contains the place. */
  attribute?: string;
  /** The beginning of the word or quoted text that contains the place. */
  from: number;
  /** `other`: a comment or a heredoc. */
  inside: 'code' | 'string' | 'other';
}

/** Finds the blocks and the value that contain a position of a pipeline's text. The text may be broken. */
export function placeIn(text: string, position: number): TextPlace {
  return new Reader(text.slice(0, position)).read();
}

const isWord = (character: string | undefined): boolean =>
  character !== undefined && (/\w/.test(character) || character === '-');

class Reader {
  readonly #text: string;
  readonly #blocks: OpenBlock[] = [];
  #at = 0;
  #header: string[] = [];
  /** True: the line contains something that cannot be the beginning of a block. */
  #isOther = false;
  #attribute: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  read(): TextPlace {
    while (this.#at < this.#text.length) {
      const start = this.#at;
      const inside = this.#readToken();
      if (this.#at >= this.#text.length && inside !== undefined)
        return this.#place(inside === 'string' ? start + 1 : start, inside);
    }
    return this.#place(this.#text.length, 'code');
  }

  #place(from: number, inside: TextPlace['inside']): TextPlace {
    const attribute = this.#attribute ?? this.#blocks.at(-1)?.attribute;
    return {
      blocks: this.#blocks,
      header: this.#isOther ? [] : this.#header,
      from,
      inside,
      ...(attribute === undefined ? {} : { attribute }),
    };
  }

  /** Reads one token. If the token reaches the end of the text, returns what kind of token it is. */
  #readToken(): TextPlace['inside'] | undefined {
    const character = this.#text[this.#at] ?? '';
    const two = this.#text.slice(this.#at, this.#at + 2);
    if (character === '#' || two === '//') return this.#skipTo('\n', 0);
    if (two === '/*') return this.#skipTo('*/', 2);
    if (two === '<<') return this.#heredoc();
    if (character === '"') return this.#string();
    if (isWord(character)) return this.#word();
    this.#at += 1;
    this.#readSign(character);
    return undefined;
  }

  #readSign(character: string): void {
    if (character === '\n') this.#startLine();
    else if (character === '=') this.#assign();
    else if ('{[('.includes(character)) this.#open(character);
    else if ('}])'.includes(character)) this.#close();
    else if (character !== ' ' && character !== '\t') this.#isOther = true;
  }

  #startLine(): void {
    this.#header = [];
    this.#isOther = false;
    this.#attribute = undefined;
  }

  #assign(): void {
    if (!this.#isOther && this.#header.length === 1) this.#attribute = this.#header[0];
    this.#isOther = true;
  }

  #open(character: string): void {
    const [name, ...labels] = this.#isOther || character !== '{' ? [] : this.#header;
    const attribute = this.#attribute ?? (name === undefined ? this.#blocks.at(-1)?.attribute : undefined);
    this.#blocks.push({ name: name ?? '', labels, ...(attribute === undefined ? {} : { attribute }) });
    this.#startLine();
  }

  #close(): void {
    this.#blocks.pop();
    this.#startLine();
    this.#isOther = true;
  }

  #word(): TextPlace['inside'] | undefined {
    const start = this.#at;
    while (isWord(this.#text[this.#at])) this.#at += 1;
    if (this.#at === this.#text.length) return 'code';
    this.#header.push(this.#text.slice(start, this.#at));
    return undefined;
  }

  /** Reads a text in quotes, which ends with its line at the latest. */
  #string(): TextPlace['inside'] | undefined {
    const start = this.#at + 1;
    const end = endOfString(this.#text, start);
    this.#at = Math.min(this.#text.length, end + (this.#text[end] === '"' ? 1 : 0));
    if (end >= this.#text.length) return 'string';
    this.#header.push(this.#text.slice(start, end));
    return undefined;
  }

  /**
   * Skips to `end`. `length`: how many characters to skip before the search, and again when `end` is found.
   */
  #skipTo(end: string, length: number): TextPlace['inside'] | undefined {
    const found = this.#text.indexOf(end, this.#at + length);
    this.#at = found === -1 ? this.#text.length : found + length;
    return found === -1 ? 'other' : undefined;
  }

  #heredoc(): TextPlace['inside'] | undefined {
    const [line = ''] = this.#text.slice(this.#at).split('\n', 1);
    const tag = line.slice(line.startsWith('<<-') ? 3 : 2).trim();
    this.#isOther = true;
    let at = this.#at + line.length + 1;
    while (at <= this.#text.length) {
      const end = this.#text.indexOf('\n', at);
      if (end === -1) break;
      const isEnd = this.#text.slice(at, end).trim() === tag;
      at = end + 1;
      if (!isEnd) continue;
      this.#at = end;
      return undefined;
    }
    this.#at = this.#text.length;
    return 'other';
  }
}

/**
 * Where a text in quotes ends: at its quote, or at the end of its line. A template in it can contain other
 * texts in quotes.
 */
function endOfString(text: string, start: number): number {
  const open: ('text' | 'template')[] = ['text'];
  let at = start;
  while (at < text.length && text[at] !== '\n') {
    at += open.at(-1) === 'text' ? readText(text, at, open) : readTemplate(text[at], open);
    if (open.length === 0) return at - 1;
  }
  return Math.min(at, text.length);
}

/** Returns how many characters it read. */
function readText(text: string, at: number, open: ('text' | 'template')[]): number {
  if (text[at] === '"') open.pop();
  if (!text.startsWith('${', at)) return text[at] === '\\' ? 2 : 1;
  open.push('template');
  return 2;
}

function readTemplate(character: string | undefined, open: ('text' | 'template')[]): number {
  if (character === '"') open.push('text');
  if (character === '}') open.pop();
  return 1;
}
