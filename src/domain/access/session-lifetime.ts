const SECONDS: Record<string, number> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 7 * 86_400,
  M: 30 * 86_400,
  y: 365 * 86_400,
};
const LONGEST = 100 * 365 * 86_400;

/**
 * Seconds of a duration like `24h`, `7d`, `1M` or `1d12h`; `0` means that sessions never end. A month is 30
 * days and a year 365, so that the length of a session does not depend on the day. Undefined when the text is
 * none, or longer than a hundred years.
 */
export function parseLifetime(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(?:\d{1,9}[smhdwMy])+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit = ''] of text.matchAll(/(\d{1,9})([smhdwMy])/g)) {
    seconds += Number(amount) * (SECONDS[unit] ?? 0);
  }
  return seconds > LONGEST ? undefined : seconds;
}
