import sharp from 'sharp';
import { LETTERS } from '#domain/graph/measure-label.ts';
import type { LabelToPaint, Shapes } from './draw-shapes.ts';
import { drawLetters, type Glyph, type Letters } from './glyphs.ts';
import { paintLabels } from './paint-labels.ts';

/** Sizes of letters that are kept; there are 104 of them in all. */
const MOST_SIZES = 24;

/**
 * Draws the shapes, writes the names over them, and packs the pixels. The letters of earlier pictures are
 * kept.
 */
export function createPainter(): (shapes: Shapes) => Promise<Uint8Array> {
  const sizes = new Map<number, Map<string, readonly Glyph[]>>();

  const lettersFor = async (size: number, labels: readonly LabelToPaint[]): Promise<Letters> => {
    const known = sizes.get(size) ?? new Map<string, readonly Glyph[]>();
    sizes.delete(size);
    sizes.set(size, known);
    for (const oldest of sizes.keys()) if (sizes.size > MOST_SIZES) sizes.delete(oldest);
    const missing = new Set(labels.flatMap(({ text }) => Array.from(text))).difference(known);
    missing.delete(' ');
    if (missing.size > 0)
      for (const [letter, glyph] of await drawLetters(missing, size)) known.set(letter, glyph);
    return known;
  };

  return async ({ svg, width, height, scale, labels }) => {
    const limits = { limitInputPixels: width * height + 1, failOn: 'error' } as const;
    const { data } = await sharp(Buffer.from(svg), limits)
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    paintLabels({ data, width, height }, labels, scale, await lettersFor(LETTERS * scale, labels));
    return sharp(data, { raw: { width, height, channels: 4 } })
      .png({ compressionLevel: 3 })
      .toBuffer();
  };
}
