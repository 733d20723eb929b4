/*
 * Text as programs write it for terminals, taken apart: what is said, and how it looks. Knows no page, so that tests run it anywhere.
 */
import { indexed, opposite, parsed, readable } from './colours.js';

/** @import { Rgb } from './colours.js' */

/** @typedef {{ light: Rgb, dark: Rgb }} Pair a colour for each of the two palettes of our pages */
/**
 * @typedef {object} Look
 * @property {boolean} bold
 * @property {boolean} dim
 * @property {boolean} italic
 * @property {boolean} underline
 * @property {boolean} struck
 * @property {boolean} turned ground and letters change places
 * @property {Rgb | undefined} front
 * @property {Rgb | undefined} back
 */
/** @typedef {{ names: string, front: Pair | undefined, back: Pair | undefined }} Dress classes and colours of one piece */
/** @typedef {{ text: string, dress: Dress }} Piece */

/** @type {Look} */
const PLAIN = {
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  struck: false,
  turned: false,
  front: undefined,
  back: undefined,
};

/** Ground and letters of a log in page.css. */
export const GROUND = pair('#f3f5f7', '#1f242a');
export const LETTERS = pair('#1b1f24', '#e6e9ec');

const [ESC, BEL] = ['\u001b', '\u0007'];
/** Colours and cursors; titles and links; strings of other kinds; the rest. Line ends stand for themselves, and end what was left open. */
const PARTS = new RegExp(
  [
    String.raw`(${ESC}\[[0-?]*[ -/]*[@-~]`,
    String.raw`${ESC}\][^${BEL}${ESC}\n]*(?:${BEL}|${ESC}\\)`,
    String.raw`${ESC}[PX^_][^${ESC}\n]*${ESC}\\`,
    String.raw`${ESC}[ -/]*[0-OQ-WYZ\x5c\x60-~]|\n|\r)`,
  ].join('|'),
);
/** A sequence whose end is in the next chunk. */
const UNFINISHED = new RegExp(String.raw`${ESC}(?:\[[0-?]*[ -/]*|[\]PX^_][^${BEL}${ESC}\n]*${ESC}?|[ -/]*)$`);
const LONGEST_SEQUENCE = 4096;
const COLOURS = new RegExp(String.raw`^${ESC}\[([\d;:]{0,200})m$`);

/** What a program writes, chunk after chunk. */
export class Terminal {
  /** @type {Look} */
  #look = PLAIN;
  #dress = dress(PLAIN);
  #rest = '';

  /**
   * In the order in which they come: pieces of text, the end of a line, and the way back to its beginning.
   *
   * @param {string} chunk
   * @returns {(Piece | '\n' | '\r')[]}
   */
  read(chunk) {
    const text = this.#rest + chunk;
    const [unfinished = ''] = UNFINISHED.exec(text) ?? [];
    // So long it is none: a byte of a file that somebody printed.
    this.#rest = unfinished.length > LONGEST_SEQUENCE ? '' : unfinished;
    /** @type {(Piece | '\n' | '\r')[]} */
    const parts = [];
    const split = text.slice(0, text.length - this.#rest.length).split(PARTS);
    for (const [index, part] of split.entries()) {
      if (part === '\n' || part === '\r') parts.push(part);
      else if (index % 2 === 1) this.#restyle(part);
      else if (part !== '') parts.push({ text: plain(part), dress: this.#dress });
    }
    return parts;
  }

  /** @param {string} sequence */
  #restyle(sequence) {
    const [, numbers] = COLOURS.exec(sequence) ?? [];
    if (numbers === undefined) return;
    this.#look = restyled(this.#look, numbers);
    this.#dress = dress(this.#look);
  }
}

/** Nothing of it moves, beeps, or turns the direction of writing, which would show something else than there is. @param {string} text */
function plain(text) {
  return text.replaceAll(/(?!\t)\p{Cc}/gu, '').replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** What a number sets. @type {Map<number, Partial<Look>>} */
const SETS = new Map([
  [0, { ...PLAIN }],
  [1, { bold: true }],
  [2, { dim: true }],
  [3, { italic: true }],
  [4, { underline: true }],
  [7, { turned: true }],
  [9, { struck: true }],
  [21, { underline: true }],
  [22, { bold: false, dim: false }],
  [23, { italic: false }],
  [24, { underline: false }],
  [27, { turned: false }],
  [29, { struck: false }],
  [39, { front: undefined }],
  [49, { back: undefined }],
]);
for (let colour = 0; colour < 8; colour += 1) {
  SETS.set(30 + colour, { front: indexed(colour) });
  SETS.set(90 + colour, { front: indexed(colour + 8) });
  SETS.set(40 + colour, { back: indexed(colour) });
  SETS.set(100 + colour, { back: indexed(colour + 8) });
}

/** Whose colour follows; that of a line under text we do not show. @type {Map<number, 'front' | 'back' | 'none'>} */
const SIDES = new Map([
  [38, 'front'],
  [48, 'back'],
  [58, 'none'],
]);

/**
 * @param {Look} look
 * @param {string} numbers as they stand between `[` and `m`; what belongs together may be joined by colons instead
 * @returns {Look}
 */
function restyled(look, numbers) {
  const groups = numbers.split(';');
  let now = look;
  while (groups.length > 0) {
    const [code = 0, ...own] = (groups.shift() ?? '').split(':').map(Number);
    const side = SIDES.get(code);
    if (side !== undefined) {
      const colour = own.length > 0 ? colourOf(withoutSpace(own)) : colourOf(takeColour(groups));
      if (colour !== undefined && side !== 'none') now = { ...now, [side]: colour };
    } else if (code === 4 && own[0] === 0) now = { ...now, underline: false };
    else now = { ...now, ...SETS.get(code) };
  }
  return now;
}

/** @param {string[]} groups @returns {number[]} */
function takeColour(groups) {
  const count = { 2: 4, 5: 2 }[groups[0] ?? ''] ?? 1;
  return groups.splice(0, count).map(Number);
}

/** With colons a colour may name its space before its parts: nobody uses another than RGB. @param {number[]} numbers */
function withoutSpace(numbers) {
  return numbers[0] === 2 && numbers.length > 4 ? [2, ...numbers.slice(2)] : numbers;
}

/** @param {number[]} numbers @returns {Rgb | undefined} */
function colourOf([kind, one = -1, two = -1, three = -1]) {
  if (kind === 5) return isByte(one) ? indexed(one) : undefined;
  return kind === 2 && [one, two, three].every(isByte) ? [one, two, three] : undefined;
}

/** @param {number} number */
function isByte(number) {
  return Number.isInteger(number) && number >= 0 && number < 256;
}

/** @param {string} light @param {string} dark @returns {Pair} */
function pair(light, dark) {
  return { light: parsed(light), dark: parsed(dark) };
}

/**
 * A piece as a page shows it: colours of its own are moved until they can be read on their ground, in both palettes.
 *
 * @param {Look} look
 * @returns {Dress}
 */
function dress(look) {
  const { front: letters, back: ground, turned, ...rest } = look;
  let front = letters && { light: letters, dark: letters };
  let back = ground && { light: ground, dark: ground };
  if (turned) [front, back] = [back ?? GROUND, front ?? LETTERS];
  if (back !== undefined) front ??= { light: opposite(back.light), dark: opposite(back.dark) };
  const names = Object.entries({ ...rest, front, back }).flatMap(([name, is]) => (is ? [name] : []));
  const { light, dark } = back ?? GROUND;
  return {
    names: names.join(' '),
    front: front && { light: readable(front.light, light), dark: readable(front.dark, dark) },
    back,
  };
}
