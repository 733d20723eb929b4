import { SEQUENCES } from '#adapters/http/pages/plain-log.ts';

const [ESC, BEL] = ['\u001b', '\u0007'];
/**
 * Control sequences and control characters, except line feed, tab and carriage return, which progress bars
 * use.
 */
const CONTROLS = new RegExp(String.raw`${SEQUENCES.source}|(?![\t\n\r])\p{Cc}`, 'gu');
/** The beginning of a sequence whose end may follow in the next chunk. */
const UNFINISHED = new RegExp(String.raw`${ESC}(?:\[[0-?]*[ -/]*|[\]PX^_][^${BEL}${ESC}]*${ESC}?|[ -/]*)?$`);
/** A longer sequence is treated as text. */
const MAX_SEQUENCE_CHARACTERS = 4096;

/**
 * Makes a log safe for a terminal, chunk by chunk: colours stay; nothing moves the cursor, sets the title or
 * queries the terminal.
 */
export class ScreenText {
  readonly #colour: boolean;
  #rest = '';

  constructor(colour: boolean) {
    this.#colour = colour;
  }

  push(piece: string): string {
    const text = this.#rest + piece;
    const at = UNFINISHED.exec(text)?.index ?? text.length;
    const whole = text.length - at > MAX_SEQUENCE_CHARACTERS ? text.length : at;
    this.#rest = text.slice(whole);
    return text.slice(0, whole).replaceAll(CONTROLS, (act) => (this.#colour && isColour(act) ? act : ''));
  }
}

const isColour = (act: string): boolean => act.startsWith(`${ESC}[`) && /^[0-9;:]*m$/.test(act.slice(2));
