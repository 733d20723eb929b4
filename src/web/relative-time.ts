const UNITS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** A text such as "3 minutes ago", in the largest unit that fits. Below 45 s, "just now" or "in a moment". */
export function relativeTime(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  const distance = Math.abs(seconds);
  if (distance < 45) return seconds > 0 ? 'in a moment' : 'just now';
  const [unit, size] = UNITS.find(([, length]) => distance >= length) ?? (['minute', 60] as const);
  return words.format(Math.sign(seconds) * Math.max(1, Math.round(distance / size)), unit);
}

/** The exact time in the viewer's time zone, to be shown beside the relative one. */
export function exactTime(at: Date): string {
  return at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
}
