import sharp from 'sharp';
import { advanceOf, hasAdvance } from '#domain/graph/measure-label.ts';
import { escapeXml } from './draw-svg.ts';

/** A letter as the share of each pixel that it covers, 0 to 255. */
export interface Glyph {
  /** From the pixel of its origin to its upper left one. */
  left: number;
  top: number;
  width: number;
  height: number;
  coverage: Uint8Array;
}

/**
 * A letter that starts a quarter of a pixel further right looks different: without that, small letters stand
 * unevenly.
 */
export const PHASES = 4;

/** Letters of one size; of each letter its phases. */
export type Letters = ReadonlyMap<string, readonly Glyph[]>;

const FAMILY = 'DejaVu Sans';
/** Letters beside the usual ones, each of which takes half a millisecond; what is over is left out. */
const MOST_UNUSUAL = 64;

/**
 * Makes the font of a file known to this process, so that pictures need none of the system's and are the same
 * everywhere.
 */
export async function loadFont(file: string): Promise<void> {
  const font = `${FAMILY} 12`;
  await sharp({ text: { text: 'x', font, fontfile: file } })
    .raw()
    .toBuffer();
}

/** Where a letter stands on the sheet, in pixels before they are stretched. */
interface Cell {
  letter: string;
  /** May lie between two pixels. */
  origin: number;
  advance: number;
  baseline: number;
}

/**
 * Draws letters far apart on one sheet that is stretched to the right, and cuts them out. The usual ones are
 * one text: a renderer takes half a millisecond for each, whatever its length. Spaces keep them from being
 * kerned.
 */
export async function drawLetters(wanted: ReadonlySet<string>, size: number): Promise<Letters> {
  const usual = [...wanted].filter((letter) => hasAdvance(letter) && letter !== ' ');
  const unusual = [...wanted].filter((letter) => !hasAdvance(letter)).slice(0, MOST_UNUSUAL);
  const [ascent, line] = [Math.ceil(size * 1.3), Math.ceil(size * 2)];
  const cells: Cell[] = [];
  const spacing = size / 3;
  let pen = size;
  for (const letter of usual) {
    const advance = advanceOf(letter) * size;
    cells.push({ letter, origin: pen, advance, baseline: ascent });
    pen += advance + advanceOf(' ') * size + 2 * spacing;
  }
  for (const [index, letter] of unusual.entries()) {
    cells.push({
      letter,
      origin: size + index * 3 * size,
      advance: advanceOf(letter) * size,
      baseline: line + ascent,
    });
  }
  const width = Math.ceil(Math.max(pen, (unusual.length + 1) * 3 * size)) * PHASES;
  const texts = cells
    .filter(({ baseline }, index) => index === 0 || baseline > line)
    .map(
      ({ letter, origin, baseline }) =>
        `<text x="${origin}" y="${baseline}">${escapeXml(baseline > line ? letter : usual.join(' '))}</text>`,
    );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${2 * line}"><g transform="scale(${PHASES} 1)" font-family="${FAMILY}" font-size="${size}" letter-spacing="${spacing}" text-rendering="geometricPrecision">${texts.join('')}</g></svg>`;
  const sheet = await sharp(Buffer.from(svg)).extractChannel('alpha').raw().toBuffer();
  return new Map(cells.map((cell) => [cell.letter, cutOut({ sheet, width, line, ascent }, cell)]));
}

interface Sheet {
  sheet: Uint8Array;
  width: number;
  line: number;
  ascent: number;
}

/** Pixels of the letter in each phase: means over as many columns of the stretched sheet. */
function cutOut({ sheet, width, line, ascent }: Sheet, { origin, advance, baseline }: Cell): Glyph[] {
  const left = -Math.ceil(line / 6);
  const columns = Math.ceil(advance) + Math.ceil(line / 3);
  return Array.from({ length: PHASES }, (_, phase) => {
    const coverage = new Uint8Array(columns * line);
    const start = Math.round(origin * PHASES) - phase + left * PHASES;
    for (let y = 0; y < line; y++) {
      const row = (baseline - ascent + y) * width + start;
      for (let x = 0; x < columns; x++) {
        let sum = 0;
        for (let part = 0; part < PHASES; part++) sum += sheet[row + x * PHASES + part] ?? 0;
        coverage[y * columns + x] = Math.round(sum / PHASES);
      }
    }
    return cropped({ left, top: -ascent, width: columns, height: line, coverage });
  });
}

/** Without the empty margins, which are most of a cell. */
function cropped({ left, top, width, height, coverage }: Glyph): Glyph {
  const inked = (x: number, y: number): boolean => (coverage[y * width + x] ?? 0) > 0;
  const [columns, rows] = [range(width), range(height)];
  const usedColumns = columns.filter((x) => rows.some((y) => inked(x, y)));
  const usedRows = rows.filter((y) => columns.some((x) => inked(x, y)));
  const [x0 = 0, y0 = 0] = [usedColumns[0], usedRows[0]];
  const [x1 = -1, y1 = -1] = [usedColumns.at(-1), usedRows.at(-1)];
  const kept = { left: left + x0, top: top + y0, width: x1 - x0 + 1, height: y1 - y0 + 1 };
  const bytes = new Uint8Array(kept.width * kept.height);
  for (let y = 0; y < kept.height; y++) {
    const from = (y0 + y) * width + x0;
    bytes.set(coverage.subarray(from, from + kept.width), y * kept.width);
  }
  return { ...kept, coverage: bytes };
}

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
