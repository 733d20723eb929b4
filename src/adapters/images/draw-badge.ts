import type { Badge } from '#domain/graph/badge.ts';
import { TONES } from '#domain/graph/look.ts';
import { labelOf, widthOf } from '#domain/graph/measure-label.ts';
import { escapeXml, FONTS } from './draw-svg.ts';
import { round } from './points.ts';

const HEIGHT = 20;
const LETTERS = 11;
const MARGIN = 6;
const BASELINE = 14;
/** The left half is right on a light and on a dark page: it has a ground of its own. */
const GROUND = '#444c56';
const INK = '#ffffff';

/** A badge that stands alone: no scripts, links, images or fonts from elsewhere. */
export function drawBadge({ label, word, tone }: Badge): string {
  const shown = labelOf(label);
  const start = roomFor(shown);
  const end = start + roomFor(word);
  const { fill, ink, border } = TONES[tone];
  const title = escapeXml(`${label}: ${word}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${end}" height="${HEIGHT}" viewBox="0 0 ${end} ${HEIGHT}" role="img" aria-label="${title}" font-family="${FONTS}" font-size="${LETTERS}" text-anchor="middle">`,
    `<title>${title}</title>`,
    `<path d="M3,0h${start - 3}v${HEIGHT}h${3 - start}a3,3 0 0 1 -3,-3v-14a3,3 0 0 1 3,-3z" fill="${GROUND}"/>`,
    `<path d="M${start},0.5h${end - start - 3.5}a3,3 0 0 1 3,3v13a3,3 0 0 1 -3,3h${3.5 - end + start}z" fill="${fill}" stroke="${border}"/>`,
    textIn(shown, start / 2, INK),
    textIn(word, (start + end) / 2, ink),
    '</svg>',
    '',
  ].join('\n');
}

const roomFor = (text: string): number => Math.ceil(widthOf(text, LETTERS) + 2 * MARGIN);

/** As wide as its room, whatever font the reader has. */
function textIn(text: string, middle: number, colour: string): string {
  const width = roomFor(text) - 2 * MARGIN;
  return `<text x="${round(middle)}" y="${BASELINE}" fill="${colour}" textLength="${width}" lengthAdjust="spacingAndGlyphs">${escapeXml(text)}</text>`;
}
