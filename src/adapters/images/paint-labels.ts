import { advanceOf, FONT_SIZE, widthOf } from '#domain/graph/measure-label.ts';
import type { PlacedLabel } from './draw-shapes.ts';
import { SUBPIXEL_PHASES, type Glyph, type GlyphsByLetter } from './glyphs.ts';

/** RGBA, one byte each, row by row. */
export interface Pixels {
  data: Uint8Array;
  width: number;
  height: number;
}

interface Ink {
  /** Red, green, blue. */
  bytes: number[];
  opacity: number;
}

const FADED = 0.35;

/**
 * Draws the labels onto the picture, each centred at its position. A character without a glyph leaves a gap.
 */
export function paintLabels(
  pixels: Pixels,
  labels: readonly PlacedLabel[],
  scale: number,
  glyphsByLetter: GlyphsByLetter,
): void {
  const size = FONT_SIZE * scale;
  for (const { text, x, baseline, ink, faded } of labels) {
    const paint: Ink = { bytes: bytesOf(ink), opacity: faded ? FADED : 1 };
    const baselineRow = Math.round(baseline * scale);
    let pen = x * scale - widthOf(text, size) / 2;
    for (const letter of text) {
      const start = Math.round(pen * SUBPIXEL_PHASES);
      const glyph = glyphsByLetter.get(letter)?.[start % SUBPIXEL_PHASES];
      if (glyph) blend(pixels, glyph, { x: Math.floor(start / SUBPIXEL_PHASES), y: baselineRow }, paint);
      pen += advanceOf(letter) * size;
    }
  }
}

/** Returns red, green and blue of a colour `#rrggbb`. */
const bytesOf = (colour: string): number[] =>
  [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));

function blend(
  { data, width, height }: Pixels,
  glyph: Glyph,
  origin: { x: number; y: number },
  ink: Ink,
): void {
  const [left, top] = [origin.x + glyph.left, origin.y + glyph.top];
  for (let y = Math.max(0, -top); y < Math.min(glyph.height, height - top); y++) {
    for (let x = Math.max(0, -left); x < Math.min(glyph.width, width - left); x++) {
      const covered = glyph.coverage[y * glyph.width + x] ?? 0;
      if (covered > 0) blendPixel(data, ((top + y) * width + left + x) * 4, ink, covered / 255);
    }
  }
}

/**
 * Blends ink over a pixel, which can be transparent (the operator "over" of alpha compositing). `index`: the
 * first byte of the pixel.
 */
function blendPixel(data: Uint8Array, index: number, { bytes, opacity }: Ink, covered: number): void {
  const inkAlpha = covered * opacity;
  const groundAlpha = ((data[index + 3] ?? 0) / 255) * (1 - inkAlpha);
  const alpha = inkAlpha + groundAlpha;
  for (let channel = 0; channel < 3; channel++) {
    const ink = bytes[channel] ?? 0;
    const ground = data[index + channel] ?? 0;
    data[index + channel] = Math.round((ink * inkAlpha + ground * groundAlpha) / alpha);
  }
  data[index + 3] = Math.round(alpha * 255);
}
