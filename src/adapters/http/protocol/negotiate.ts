/**
 * Returns the media type that an Accept header prefers. If it prefers none, returns the first of `offers`, as
 * it does for equal preferences.
 */
export function preferred<T extends string>(accept: string | undefined, offers: readonly [T, ...T[]]): T {
  const ranges = (accept ?? '*/*').split(',', 32).map(parseRange);
  let best = offers[0];
  let bestQuality = 0;
  for (const offer of offers) {
    const quality = qualityOf(offer, ranges);
    if (quality > bestQuality) {
      best = offer;
      bestQuality = quality;
    }
  }
  return best;
}

interface Range {
  type: string;
  quality: number;
}

function parseRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = Number(parameters.find((part) => part.startsWith('q='))?.slice(2) ?? 1);
  return { type, quality: Number.isFinite(quality) ? quality : 0 };
}

/** The most specific range decides (RFC 9110). */
function qualityOf(offer: string, ranges: Range[]): number {
  const group = `${offer.split('/')[0] ?? ''}/*`;
  for (const type of [offer, group, '*/*']) {
    const range = ranges.find((candidate) => candidate.type === type);
    if (range !== undefined) return range.quality;
  }
  return 0;
}
