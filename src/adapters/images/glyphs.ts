import sharp from 'sharp';
import { advanceOf, hasAdvance } from '#domain/graph/measure-label.ts';
import { escapeXml } from './draw-svg.ts';

/** A rendered character: the coverage of each pixel, 0 to 255. */
export interface Glyph {
  /** Offset from the origin to the upper left pixel. */
  left: number;
  top: number;
  width: number;
  height: number;
  coverage: Uint8Array;
}

/** A character is rendered at each quarter of a pixel. Without that, small text is spaced unevenly. */
export const SUBPIXEL_PHASES = 4;

/** Glyphs of one font size by character, one for each subpixel phase. */
export type GlyphsByLetter = ReadonlyMap<string, readonly Glyph[]>;

const FAMILY = 'DejaVu Sans';
/**
 * The most characters outside the width table that one picture adds to the cached glyphs, since each takes
 * half a millisecond. Further ones are not drawn.
 */
const MAX_RARE_CHARACTERS = 64;

/** Loads a font file into this process, so that pictures do not depend on the fonts of the system. */
export async function loadFont(file: string): Promise<void> {
  const font = `${FAMILY} 12`;
  await sharp({ text: { text: 'x', font, fontfile: file } })
    .raw()
    .toBuffer();
}

/** Position of a character on the sheet, in pixels before the sheet is stretched. */
interface Cell {
  letter: string;
  /** Horizontal position of the character's origin. Can be a fraction. */
  origin: number;
  advance: number;
  baseline: number;
}

/**
 * Draws characters far apart on one sheet, which is stretched horizontally, and cuts them out. All characters
 * of the width table are drawn as one text, because a renderer takes half a millisecond for each text. Spaces
 * between them prevent kerning. `size`: font size in pixels.
 */
export async function drawGlyphs(letters: ReadonlySet<string>, size: number): Promise<GlyphsByLetter> {
  const common = [...letters].filter((letter) => hasAdvance(letter) && letter !== ' ');
  const rare = [...letters].filter((letter) => !hasAdvance(letter)).slice(0, MAX_RARE_CHARACTERS);
  const [ascent, lineHeight] = [Math.ceil(size * 1.3), Math.ceil(size * 2)];
  const commonCells: Cell[] = [];
  const spacing = size / 3;
  let pen = size;
  for (const letter of common) {
    const advance = advanceOf(letter) * size;
    commonCells.push({ letter, origin: pen, advance, baseline: ascent });
    pen += advance + advanceOf(' ') * size + 2 * spacing;
  }
  const rareCells = rare.map((letter, index) => ({
    letter,
    origin: size + index * 3 * size,
    advance: advanceOf(letter) * size,
    baseline: lineHeight + ascent,
  }));
  const width = Math.ceil(Math.max(pen, (rare.length + 1) * 3 * size)) * SUBPIXEL_PHASES;
  const commonTexts = commonCells.slice(0, 1).map((firstCell) => textAt(firstCell, common.join(' ')));
  const rareTexts = rareCells.map((cell) => textAt(cell, cell.letter));
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${2 * lineHeight}">` +
    `<g transform="scale(${SUBPIXEL_PHASES} 1)" font-family="${FAMILY}" font-size="${size}"` +
    ` letter-spacing="${spacing}" text-rendering="geometricPrecision">` +
    `${[...commonTexts, ...rareTexts].join('')}</g></svg>`;
  const sheet = await sharp(Buffer.from(svg)).extractChannel('alpha').raw().toBuffer();
  return new Map(
    [...commonCells, ...rareCells].map((cell) => [
      cell.letter,
      cutOut({ sheet, width, lineHeight, ascent }, cell),
    ]),
  );
}

const textAt = ({ origin, baseline }: Cell, text: string): string =>
  `<text x="${origin}" y="${baseline}">${escapeXml(text)}</text>`;

interface Sheet {
  sheet: Uint8Array;
  width: number;
  lineHeight: number;
  ascent: number;
}

/**
 * Returns the character in each phase. A pixel is the average over `SUBPIXEL_PHASES` columns of the stretched
 * sheet.
 */
function cutOut({ sheet, width, lineHeight, ascent }: Sheet, { origin, advance, baseline }: Cell): Glyph[] {
  const left = -Math.ceil(lineHeight / 6);
  const columns = Math.ceil(advance) + Math.ceil(lineHeight / 3);
  return Array.from({ length: SUBPIXEL_PHASES }, (_, phase) => {
    const coverage = new Uint8Array(columns * lineHeight);
    const start = Math.round(origin * SUBPIXEL_PHASES) - phase + left * SUBPIXEL_PHASES;
    for (let y = 0; y < lineHeight; y++) {
      const row = (baseline - ascent + y) * width + start;
      for (let x = 0; x < columns; x++) {
        let sum = 0;
        for (let column = 0; column < SUBPIXEL_PHASES; column++)
          sum += sheet[row + x * SUBPIXEL_PHASES + column] ?? 0;
        coverage[y * columns + x] = Math.round(sum / SUBPIXEL_PHASES);
      }
    }
    return cropped({ left, top: -ascent, width: columns, height: lineHeight, coverage });
  });
}

/** Removes the empty margins, which are most of a cell. */
function cropped({ left, top, width, height, coverage }: Glyph): Glyph {
  const inked = (x: number, y: number): boolean => (coverage[y * width + x] ?? 0) > 0;
  const [columns, rows] = [indexesUpTo(width), indexesUpTo(height)];
  const usedColumns = columns.filter((x) => rows.some((y) => inked(x, y)));
  const usedRows = rows.filter((y) => columns.some((x) => inked(x, y)));
  const [x0 = 0, y0 = 0] = [usedColumns[0], usedRows[0]];
  const [x1 = -1, y1 = -1] = [usedColumns.at(-1), usedRows.at(-1)];
  const box = { left: left + x0, top: top + y0, width: x1 - x0 + 1, height: y1 - y0 + 1 };
  const bytes = new Uint8Array(box.width * box.height);
  for (let y = 0; y < box.height; y++) {
    const firstByte = (y0 + y) * width + x0;
    bytes.set(coverage.subarray(firstByte, firstByte + box.width), y * box.width);
  }
  return { ...box, coverage: bytes };
}

const indexesUpTo = (length: number): number[] => Array.from({ length }, (_, index) => index);
