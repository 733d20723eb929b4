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
  const seconds = secondsOf(text);
  return seconds !== undefined && Number.isFinite(seconds) ? seconds : undefined;
}

/** The same, endless where it is too long for Go. */
export function secondsOf(text: string): number | undefined {
  const unsigned = text.replace(/^[+-]/, '');
  if (unsigned === '0') return 0;
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(unsigned)) return undefined;
  const nanoseconds = [...unsigned.matchAll(/(?<![\d.])([\d.]+)([^\d.]+)/g)]
    .map(([, number, unit]) => Number(number) * (units[unit ?? ''] ?? Number.NaN))
    .reduce((sum, part) => sum + part, 0);
  if (nanoseconds >= 2 ** 63) return text.startsWith('-') ? -Infinity : Infinity;
  return (text.startsWith('-') ? -nanoseconds : nanoseconds) / 1e9;
}

/** What people write for the units, in seconds or as Go writes them. */
const WORDS: readonly [words: RegExp, unit: 's' | 'm' | 'h', times: number][] = [
  [/^s(?:ecs?|econds?)?$/, 's', 1],
  [/^m(?:ins?|inutes?)?$/, 'm', 1],
  [/^h(?:rs?|ours?)?$/, 'h', 1],
  [/^d(?:ays?)?$/, 'h', 24],
  [/^w(?:eeks?)?$/, 'h', 7 * 24],
];

const MAX_PARTS = 10;

/** What to write in place of a text that is no duration; undefined when nobody knows what was meant. */
export function suggestDuration(text: string): string | undefined {
  if (/^\d{1,10}$/.test(text)) return `Write "${text}s" for seconds.`;
  if (text.length > 60 || !/^(?:\s*\d+\s*[A-Za-z]+)+\s*$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(?<!\d)(\d+)\s*([A-Za-z]+)/g)]
    .slice(0, MAX_PARTS)
    .map(([, number = '', word = '']) => {
      const [, unit, times] = WORDS.find(([words]) => words.test(word.toLowerCase())) ?? [];
      return unit && times ? `${Number(number) * times}${unit}` : undefined;
    });
  if (parts.includes(undefined)) return undefined;
  const days = /[dw]/i.test(text.replaceAll(/sec\w*/gi, ''));
  return `Write "${parts.join('')}"${days ? ': hours are the longest unit' : ''}.`;
}
