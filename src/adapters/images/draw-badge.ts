import type { Badge } from '#domain/graph/badge.ts';
import { labelOf, widthOf } from '#domain/graph/measure-label.ts';
import { TONES } from '#domain/graph/node-style.ts';
import { roundToTenth } from '#domain/graph/points.ts';
import { escapeXml, FONTS } from './draw-svg.ts';

const HEIGHT = 20;
const FONT_SIZE = 11;
const MARGIN = 6;
const BASELINE = 14;
/** Background of the left half, so that its text is readable on light and dark pages. */
const BACKGROUND = '#444c56';
const TEXT_COLOUR = '#ffffff';

/** A self-contained SVG: no scripts, links, images or external fonts. */
export function drawBadge({ label, word, tone }: Badge): string {
  const shortLabel = labelOf(label);
  const labelWidth = widthWithMargins(shortLabel);
  const width = labelWidth + widthWithMargins(word);
  const { fill, ink, border } = TONES[tone];
  const title = escapeXml(`${label}: ${word}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}"` +
      ` role="img" aria-label="${title}" font-family="${FONTS}" font-size="${FONT_SIZE}" text-anchor="middle">`,
    `<title>${title}</title>`,
    `<path d="M3,0h${labelWidth - 3}v${HEIGHT}h${3 - labelWidth}a3,3 0 0 1 -3,-3v-14a3,3 0 0 1 3,-3z" fill="${BACKGROUND}"/>`,
    `<path d="M${labelWidth},0.5h${width - labelWidth - 3.5}a3,3 0 0 1 3,3v13a3,3 0 0 1 -3,3h${3.5 - width + labelWidth}z"` +
      ` fill="${fill}" stroke="${border}"/>`,
    textIn(shortLabel, labelWidth / 2, TEXT_COLOUR),
    textIn(word, (labelWidth + width) / 2, ink),
    '</svg>',
    '',
  ].join('\n');
}

const widthWithMargins = (text: string): number => Math.ceil(widthOf(text, FONT_SIZE) + 2 * MARGIN);

/** Writes text centred at `middle`. `textLength` fits it into its half, whatever font the viewer has. */
function textIn(text: string, middle: number, colour: string): string {
  const width = widthWithMargins(text) - 2 * MARGIN;
  const position = `x="${roundToTenth(middle)}" y="${BASELINE}"`;
  const fit = `textLength="${width}" lengthAdjust="spacingAndGlyphs"`;
  return `<text ${position} fill="${colour}" ${fit}>${escapeXml(text)}</text>`;
}
