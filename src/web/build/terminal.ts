/*
 * Parses the output of programs with ANSI escape sequences into pieces of text with styles. It does not use
 * the DOM, so tests need no browser.
 */
import { colourOfIndex, blackOrWhiteOn, parseHex, makeReadable, type Rgb } from './colours.ts';

/** A colour in the light and in the dark palette. */
interface Pair {
  light: Rgb;
  dark: Rgb;
}

/** The style that escape sequences have set. Equal styles are the same object while the cache has them. */
export interface Look {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  struck: boolean;
  /** Background and text swap colours. */
  inverse: boolean;
  front: Rgb | undefined;
  back: Rgb | undefined;
}

/** How a piece is drawn: its CSS classes and its colours. */
interface Appearance {
  classes: string;
  front: Pair | undefined;
  back: Pair | undefined;
}

export interface Piece {
  text: string;
  appearance: Appearance;
}

export const PLAIN: Look = {
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  struck: false,
  inverse: false,
  front: undefined,
  back: undefined,
};

const PLAIN_KEY = JSON.stringify(PLAIN);

/** Background and text colour of a log: --raised and --text in palette.css. */
export const BACKGROUND = pair('#f3f5f7', '#1f242a');
export const TEXT = pair('#1b1f24', '#e6e9ec');

const [ESC, BEL] = ['\u001b', '\u0007'];
/**
 * Matches control sequences (colours, cursor), operating system commands (titles, links), other strings,
 * other escapes, line ends and carriage returns. A line end also ends an open sequence.
 */
const PARTS = new RegExp(
  [
    String.raw`(${ESC}\[[0-?]*[ -/]*[@-~]`,
    String.raw`${ESC}\][^${BEL}${ESC}\n]*(?:${BEL}|${ESC}\\)`,
    String.raw`${ESC}[PX^_][^${ESC}\n]*${ESC}\\`,
    String.raw`${ESC}[ -/]*[0-OQ-WYZ\x5c\x60-~]|\n|\r)`,
  ].join('|'),
);
/** A sequence that continues in the next chunk. */
const UNFINISHED = new RegExp(String.raw`${ESC}(?:\[[0-?]*[ -/]*|[\]PX^_][^${BEL}${ESC}\n]*${ESC}?|[ -/]*)$`);
const MAX_UNFINISHED_CHARACTERS = 4096;
const COLOURS = new RegExp(String.raw`^${ESC}\[([\d;:]{0,200})m$`);

/** Parses output chunk by chunk, or one line whose style began before it. */
export class AnsiParser {
  #look: Look;
  /** The beginning of a sequence whose end is in the next chunk. */
  #unfinished = '';

  constructor(look: Look = PLAIN) {
    this.#look = look;
  }

  /** The style of the text that follows. */
  get look(): Look {
    return this.#look;
  }

  /** Pieces of text, line ends and carriage returns, in order. */
  read(chunk: string): (Piece | '\n' | '\r')[] {
    const text = this.#unfinished + chunk;
    const [unfinished = ''] = UNFINISHED.exec(text) ?? [];
    // A longer one is not a sequence: the program printed a binary file that contains an escape byte.
    this.#unfinished = unfinished.length > MAX_UNFINISHED_CHARACTERS ? '' : unfinished;
    const parts: (Piece | '\n' | '\r')[] = [];
    const split = text.slice(0, text.length - this.#unfinished.length).split(PARTS);
    // At odd indexes are the sequences that PARTS captures, at even ones the texts between them.
    for (const [index, part] of split.entries()) {
      if (part === '\n' || part === '\r') parts.push(part);
      else if (index % 2 === 1) this.#restyle(part);
      else if (part !== '') parts.push({ text: plain(part), appearance: appearanceOf(this.#look) });
    }
    return parts;
  }

  #restyle(sequence: string): void {
    const [, numbers] = COLOURS.exec(sequence) ?? [];
    if (numbers !== undefined) this.#look = nextLook(this.#look, numbers);
  }
}

/**
 * Most programs use a few styles again and again. The limit prevents a program with a million colours from
 * filling the memory.
 */
const MAX_CACHED_LOOKS = 5000;
const looks = new Map<string, Look>();
const appearances = new Map<Look, Appearance>();

function nextLook(look: Look, numbers: string): Look {
  const next = restyled(look, numbers);
  const key = JSON.stringify(next);
  const known = key === PLAIN_KEY ? PLAIN : looks.get(key);
  if (known !== undefined) return known;
  if (looks.size >= MAX_CACHED_LOOKS) {
    looks.clear();
    appearances.clear();
  }
  looks.set(key, next);
  return next;
}

function appearanceOf(look: Look): Appearance {
  const known = appearances.get(look) ?? computeAppearance(look);
  appearances.set(look, known);
  return known;
}

/** Removes control characters, and marks bidirectional overrides, which could disguise text. */
function plain(text: string): string {
  return text.replaceAll(/(?!\t)\p{Cc}/gu, '').replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** Changes of the style by SGR code (ECMA-48, 8.3.117). */
const CHANGES = new Map<number, Partial<Look>>([
  [0, { ...PLAIN }],
  [1, { bold: true }],
  [2, { dim: true }],
  [3, { italic: true }],
  [4, { underline: true }],
  [7, { inverse: true }],
  [9, { struck: true }],
  [21, { underline: true }],
  [22, { bold: false, dim: false }],
  [23, { italic: false }],
  [24, { underline: false }],
  [27, { inverse: false }],
  [29, { struck: false }],
  [39, { front: undefined }],
  [49, { back: undefined }],
]);
for (let colour = 0; colour < 8; colour += 1) {
  CHANGES.set(30 + colour, { front: colourOfIndex(colour) });
  CHANGES.set(90 + colour, { front: colourOfIndex(colour + 8) });
  CHANGES.set(40 + colour, { back: colourOfIndex(colour) });
  CHANGES.set(100 + colour, { back: colourOfIndex(colour + 8) });
}

/** SGR codes before the numbers of a colour, and what they colour. Underline colours are read and ignored. */
const SIDES = new Map<number, 'front' | 'back' | 'none'>([
  [38, 'front'],
  [48, 'back'],
  [58, 'none'],
]);

/** Applies the numbers between `[` and `m` of a sequence. Colons can join the numbers of a colour. */
function restyled(look: Look, numbers: string): Look {
  const groups = numbers.split(';');
  let current = look;
  while (groups.length > 0) {
    const [code = 0, ...joinedNumbers] = (groups.shift() ?? '').split(':').map(Number);
    const side = SIDES.get(code);
    if (side !== undefined) {
      const colour = colourOf(
        joinedNumbers.length > 0 ? withoutColourSpace(joinedNumbers) : takeColour(groups),
      );
      if (colour !== undefined && side !== 'none') current = { ...current, [side]: colour };
    } else if (code === 4 && joinedNumbers[0] === 0) current = { ...current, underline: false };
    else current = { ...current, ...CHANGES.get(code) };
  }
  return current;
}

/**
 * How many numbers describe a colour, including its kind: `2` for red, green and blue, and `5` for one of 256
 * colours.
 */
const COLOUR_PARTS = new Map([
  ['2', 4],
  ['5', 2],
]);

/** Removes the numbers of a colour from the front of the groups and returns them. */
function takeColour(groups: string[]): number[] {
  const count = COLOUR_PARTS.get(groups[0] ?? '') ?? 1;
  return groups.splice(0, count).map(Number);
}

/** Removes the colour space, which can come before the parts of a colour with colons. Only RGB is in use. */
function withoutColourSpace(numbers: number[]): number[] {
  return numbers[0] === 2 && numbers.length > 4 ? [2, ...numbers.slice(2)] : numbers;
}

function colourOf([kind, first = -1, second = -1, third = -1]: number[]): Rgb | undefined {
  if (kind === 5) return isByte(first) ? colourOfIndex(first) : undefined;
  return kind === 2 && [first, second, third].every(isByte) ? [first, second, third] : undefined;
}

function isByte(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number < 256;
}

function pair(light: string, dark: string): Pair {
  return { light: parseHex(light), dark: parseHex(dark) };
}

/**
 * How a piece with this style is drawn. The colour of its text is made lighter or darker until it has enough
 * contrast with the background in each palette.
 */
function computeAppearance(look: Look): Appearance {
  const { front: letters, back: ground, inverse, ...rest } = look;
  let front = letters && { light: letters, dark: letters };
  let back = ground && { light: ground, dark: ground };
  if (inverse) [front, back] = [back ?? BACKGROUND, front ?? TEXT];
  if (back !== undefined) front ??= { light: blackOrWhiteOn(back.light), dark: blackOrWhiteOn(back.dark) };
  const classes = Object.entries({ ...rest, front, back }).flatMap(([name, isSet]) => (isSet ? [name] : []));
  const { light, dark } = back ?? BACKGROUND;
  return {
    classes: classes.join(' '),
    front: front && { light: makeReadable(front.light, light), dark: makeReadable(front.dark, dark) },
    back,
  };
}
