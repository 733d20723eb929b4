/** One event of a stream, as the HTML standard parses them. */
export interface StreamEvent {
  name: string;
  data: string;
  /** Of the last event until here that had one: what to go on behind. */
  id: string | undefined;
}

/** More than any chunk of a log; what goes on without an end is no stream of ours. */
const LONGEST_LINE = 8 * 1024 * 1024;

/** Parts text of any size into events. */
export class EventParser {
  /** After how long the server wants to be asked again when the stream breaks, in milliseconds. */
  retryMs: number | undefined;
  #rest = '';
  #name = '';
  #data: string[] = [];
  #id: string | undefined;
  readonly #decoder = new TextDecoder();

  push(bytes: Uint8Array): StreamEvent[] {
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    // A carriage return at the end may be half of a line's end.
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > LONGEST_LINE) throw new RangeError('a line of the stream does not end');
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line: string): StreamEvent[] {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#name = value;
    if (field === 'data') this.#data.push(value);
    if (field === 'id' && !value.includes('\0')) this.#id = value;
    if (field === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
    return [];
  }

  #dispatch(): StreamEvent[] {
    const [name, data] = [this.#name, this.#data];
    this.#name = '';
    this.#data = [];
    return data.length === 0
      ? []
      : [{ name: name === '' ? 'message' : name, data: data.join('\n'), id: this.#id }];
  }
}
