import { SEQUENCES } from '#adapters/http/pages/plain-log.ts';

const [ESC, BEL] = ['\u001b', '\u0007'];
/**
 * What a screen does besides showing letters; lines, tabs and going back to the start of a line, as progress
 * bars do, stay.
 */
const ACTS = new RegExp(String.raw`${SEQUENCES.source}|(?![\t\n\r])\p{Cc}`, 'gu');
/** The beginning of a sequence whose end may come with the next piece. */
const UNFINISHED = new RegExp(String.raw`${ESC}(?:\[[0-?]*[ -/]*|[\]PX^_][^${BEL}${ESC}]*${ESC}?|[ -/]*)?$`);
/** What begins like a sequence and goes on for longer is none. */
const LONGEST = 4096;

/**
 * A log for a screen, piece by piece: colours stay, and nothing moves the cursor, names the window or asks
 * the terminal.
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
    const whole = text.length - at > LONGEST ? text.length : at;
    this.#rest = text.slice(whole);
    return text.slice(0, whole).replaceAll(ACTS, (act) => (this.#colour && isColour(act) ? act : ''));
  }
}

const isColour = (act: string): boolean => act.startsWith(`${ESC}[`) && /^[0-9;:]*m$/.test(act.slice(2));
