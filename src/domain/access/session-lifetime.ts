const SECONDS_PER_UNIT: Record<string, number> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 7 * 86_400,
  M: 30 * 86_400,
  y: 365 * 86_400,
};
const MAX_LIFETIME_SECONDS = 100 * 365 * 86_400;

/**
 * The seconds of a lifetime such as `24h`, `7d`, `1M` or `1d12h`. Undefined: the text is not a lifetime, or
 * longer than a hundred years. 0, for the text `0`: no limit. A month has 30 days and a year 365, so that the
 * result does not depend on the date.
 */
export function parseLifetime(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(?:\d{1,9}[smhdwMy])+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit = ''] of text.matchAll(/(\d{1,9})([smhdwMy])/g)) {
    seconds += Number(amount) * (SECONDS_PER_UNIT[unit] ?? 0);
  }
  return seconds > MAX_LIFETIME_SECONDS ? undefined : seconds;
}
