/**
 * Nanoseconds per unit. There are two spellings of `µs`, with the micro sign and with the Greek letter mu,
 * because Go accepts both.
 */
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

/**
 * Parses a duration as Go's time.ParseDuration does (`1h30m`, `1.5s`). Returns seconds, or undefined if it is
 * invalid or too long for Go.
 */
export function parseGoDuration(text: string): number | undefined {
  const seconds = secondsOf(text);
  return seconds !== undefined && Number.isFinite(seconds) ? seconds : undefined;
}

/**
 * Parses a duration as `parseGoDuration` does, but returns Infinity or -Infinity if it is too long for Go.
 */
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

/** Other spellings of units, the unit to write instead, and the factor between the two. */
const UNIT_WORDS: readonly [unitWords: RegExp, unit: 's' | 'm' | 'h', factor: number][] = [
  [/^s(?:ecs?|econds?)?$/, 's', 1],
  [/^m(?:ins?|inutes?)?$/, 'm', 1],
  [/^h(?:rs?|ours?)?$/, 'h', 1],
  [/^d(?:ays?)?$/, 'h', 24],
  [/^w(?:eeks?)?$/, 'h', 7 * 24],
];

const MAX_PARTS = 10;

/**
 * A sentence that suggests a valid duration for an invalid one. Undefined: it is unclear which duration is
 * meant.
 */
export function suggestDuration(text: string): string | undefined {
  if (/^\d{1,10}$/.test(text)) return `Write "${text}s" for seconds.`;
  if (text.length > 60 || !/^(?:\s*\d+\s*[A-Za-z]+)+\s*$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(?<!\d)(\d+)\s*([A-Za-z]+)/g)].map(([, number = '', word = '']) => {
    const [, unit, factor] = UNIT_WORDS.find(([unitWords]) => unitWords.test(word.toLowerCase())) ?? [];
    return unit && factor ? `${Number(number) * factor}${unit}` : undefined;
  });
  if (parts.length > MAX_PARTS || parts.includes(undefined)) return undefined;
  // Apart from "second", only the names of days and weeks contain the letter d or w.
  const hasDaysOrWeeks = /[dw]/i.test(text.replaceAll(/sec\w*/gi, ''));
  return `Write "${parts.join('')}"${hasDaysOrWeeks ? ': hours are the longest unit' : ''}.`;
}
