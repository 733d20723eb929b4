type PlainValue = string | number | boolean | null;

const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...inThreeCases(true, ['y', 'yes', 'true', 'on']),
  ...inThreeCases(false, ['n', 'no', 'false', 'off']),
  ...inThreeCases(null, ['null']),
  ['~', null],
  ['', null],
]);

/** Each word in lower case, with a capital, and in upper case. Other mixtures are texts. */
function inThreeCases<T>(value: T, words: readonly string[]): [string, T][] {
  return words.flatMap((word): [string, T][] =>
    [word, `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`, word.toUpperCase()].map((spelling) => [
      spelling,
      value,
    ]),
  );
}

/**
 * The value that Concourse reads in a text without quotes. It reads YAML 1.1, except that dates and numbers
 * in base 60 stay texts.
 */
export function resolvePlain(text: string): PlainValue {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  return infinityOf(text) ?? integerOf(text.replaceAll('_', '')) ?? floatOf(text) ?? text;
}

/** Infinity or NaN. The caller refuses these numbers, because JSON does not have them. */
function infinityOf(text: string): number | undefined {
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return /^\.(?:nan|NaN|NAN)$/.test(text) ? Number.NaN : undefined;
}

/** An integer. A leading zero means octal: `0755`. */
function integerOf(text: string): number | undefined {
  const [, sign = '', digits = ''] = /^([-+]?)(\d.*)$/.exec(text) ?? [];
  const unsigned = unsignedOf(digits);
  return unsigned === undefined || sign !== '-' ? unsigned : -unsigned;
}

function unsignedOf(digits: string): number | undefined {
  if (/^0[xX][0-9a-fA-F]+$|^0[bB][01]+$|^0[oO][0-7]+$|^(?:0|[1-9]\d*)$/.test(digits)) return Number(digits);
  return /^0[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : undefined;
}

const floatOf = (text: string): number | undefined =>
  /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(text) ? Number(text) : undefined;
