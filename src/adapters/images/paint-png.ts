import sharp from 'sharp';
import { FONT_SIZE } from '#domain/graph/measure-label.ts';
import type { PlacedLabel, Shapes } from './draw-shapes.ts';
import { drawGlyphs, type Glyph, type GlyphsByLetter } from './glyphs.ts';
import { paintLabels } from './paint-labels.ts';

/**
 * The most font sizes whose glyphs are cached. Legible sizes go from 5 to 26 pixels in quarters: 85 sizes.
 */
const MAX_CACHED_SIZES = 24;

/** Renders the shapes, draws the labels over them and encodes a PNG. Glyphs are cached across pictures. */
export function createPainter(): (shapes: Shapes) => Promise<Uint8Array> {
  const glyphsBySize = new Map<number, Map<string, readonly Glyph[]>>();

  const glyphsFor = async (size: number, labels: readonly PlacedLabel[]): Promise<GlyphsByLetter> => {
    const glyphs = glyphsBySize.get(size) ?? new Map<string, readonly Glyph[]>();
    glyphsBySize.delete(size);
    glyphsBySize.set(size, glyphs);
    for (const oldest of glyphsBySize.keys())
      if (glyphsBySize.size > MAX_CACHED_SIZES) glyphsBySize.delete(oldest);
    const missing = new Set(labels.flatMap(({ text }) => Array.from(text))).difference(glyphs);
    missing.delete(' ');
    if (missing.size > 0)
      for (const [letter, glyph] of await drawGlyphs(missing, size)) glyphs.set(letter, glyph);
    return glyphs;
  };

  return async ({ svg, width, height, scale, labels }) => {
    const limits = { limitInputPixels: width * height + 1, failOn: 'error' } as const;
    const { data } = await sharp(Buffer.from(svg), limits)
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    paintLabels({ data, width, height }, labels, scale, await glyphsFor(FONT_SIZE * scale, labels));
    return sharp(data, { raw: { width, height, channels: 4 } })
      .png({ compressionLevel: 3 })
      .toBuffer();
  };
}
