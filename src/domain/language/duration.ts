/** Nanoseconds of a unit. */
const units: Record<string, number> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

/** What Go's time.ParseDuration accepts (`1h30m`, `1.5s`), in seconds; undefined when it is none. */
export function parseGoDuration(text: string): number | undefined {
  const unsigned = text.replace(/^[+-]/, '');
  if (unsigned === '0') return 0;
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(unsigned)) return undefined;
  const nanoseconds = [...unsigned.matchAll(/(?<![\d.])([\d.]+)([^\d.]+)/g)]
    .map(([, number, unit]) => Number(number) * (units[unit ?? ''] ?? Number.NaN))
    .reduce((sum, part) => sum + part, 0);
  if (nanoseconds >= 2 ** 63) return undefined;
  return (text.startsWith('-') ? -nanoseconds : nanoseconds) / 1e9;
}
