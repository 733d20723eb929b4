/* Terminal colours, and their contrast with a background. */

/** Red, green, blue: 0 to 255. */
export type Rgb = readonly [number, number, number];

/** The sixteen named colours, as this page shows them. Each terminal has its own. */
const NAMED = (
  '000000 c62f2f 1f9d4c b8860b 2f6fd0 a63fb3 16899c d0d4d8 ' +
  '6b7280 f0605a 3ccf78 e6b422 6aa5ff d678e6 3cc3d6 ffffff'
).split(' ');
/** The amounts of red, green or blue that a colour of the cube can have. */
const LEVELS = [0, 95, 135, 175, 215, 255];

/** One of the 256 colours, in the order of xterm: 16 named ones, then a 6 × 6 × 6 cube, then 24 greys. */
export function colourOfIndex(index: number): Rgb {
  const named = NAMED[index];
  if (named !== undefined) return parseHex(named);
  if (index >= 232) {
    const grey = 8 + 10 * (index - 232);
    return [grey, grey, grey];
  }
  const inCube = index - 16;
  const levels = [Math.floor(inCube / 36), Math.floor(inCube / 6) % 6, inCube % 6];
  const [red = 0, green = 0, blue = 0] = levels.map((level) => LEVELS[level]);
  return [red, green, blue];
}

export function parseHex(hex: string): Rgb {
  const number = Number.parseInt(hex.replace('#', ''), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

/** The contrast that WCAG 2.2 requires for text (1.4.3). */
const MIN_CONTRAST = 4.5;

const [BLACK, WHITE] = [parseHex('000000'), parseHex('ffffff')];

/** Black or white, whichever has more contrast. */
export function blackOrWhiteOn(background: Rgb): Rgb {
  return contrast(BLACK, background) > contrast(WHITE, background) ? BLACK : WHITE;
}

/** Returns the colour, moved towards white or black just as far as it needs to have enough contrast. */
export function makeReadable(colour: Rgb, background: Rgb): Rgb {
  const extremes = luminance(colour) > luminance(background) ? [WHITE, BLACK] : [BLACK, WHITE];
  const end = extremes.find((extreme) => contrast(extreme, background) >= MIN_CONTRAST) ?? BLACK;
  for (let step = 0; step < 20; step += 1) {
    const moved = mix(colour, end, step / 20);
    if (contrast(moved, background) >= MIN_CONTRAST) return moved;
  }
  return end;
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const [red, green, blue] = from;
  const part = (start: number, end: number): number => Math.round(start + (end - start) * share);
  return [part(red, to[0]), part(green, to[1]), part(blue, to[2])];
}

/** The contrast of two colours, from 1 to 21, as WCAG 2.2 computes it. */
export function contrast(colour: Rgb, background: Rgb): number {
  const [low = 0, high = 0] = [luminance(colour), luminance(background)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** The relative luminance of WCAG 2.2, from 0 to 1. */
function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
