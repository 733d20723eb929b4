import { SEQUENCES } from '#adapters/http/pages/plain-log.ts';

const [ESC, BEL] = ['\u001b', '\u0007'];
/**
 * Control sequences and control characters, except line feed, tab and carriage return, which progress bars
 * use.
 */
const CONTROLS = new RegExp(String.raw`${SEQUENCES.source}|(?![\t\n\r])\p{Cc}`, 'gu');
/** The beginning of a sequence whose end may follow in the next chunk. */
const UNFINISHED = new RegExp(String.raw`${ESC}(?:\[[0-?]*[ -/]*|[\]PX^_][^${BEL}${ESC}]*${ESC}?|[ -/]*)?$`);
/** If an unfinished sequence is longer, its characters are treated as text. */
const MAX_UNFINISHED_CHARACTERS = 4096;

/**
 * Makes a log safe for a terminal, chunk by chunk. It keeps colours if the terminal shows them, and removes
 * all other sequences: they could move the cursor, set the title or query the terminal.
 */
export class ScreenText {
  readonly #colour: boolean;
  /** The beginning of a control sequence whose end has not arrived yet. */
  #unfinished = '';

  constructor(colour: boolean) {
    this.#colour = colour;
  }

  push(piece: string): string {
    const text = this.#unfinished + piece;
    const at = UNFINISHED.exec(text)?.index ?? text.length;
    const end = text.length - at > MAX_UNFINISHED_CHARACTERS ? text.length : at;
    this.#unfinished = text.slice(end);
    return text
      .slice(0, end)
      .replaceAll(CONTROLS, (sequence) => (this.#colour && isColour(sequence) ? sequence : ''));
  }
}

const isColour = (sequence: string): boolean =>
  sequence.startsWith(`${ESC}[`) && /^[0-9;:]*m$/.test(sequence.slice(2));
