type PlainValue = string | number | boolean | null;

const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...both(true, ['y', 'yes', 'true', 'on']),
  ...both(false, ['n', 'no', 'false', 'off']),
  ...both(null, ['null']),
  ['~', null],
  ['', null],
]);

/** In lower case, with a capital, and in upper case. Other mixtures are texts. */
function both<T>(value: T, words: readonly string[]): [string, T][] {
  return words.flatMap((word): [string, T][] =>
    [word, `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`, word.toUpperCase()].map((one) => [
      one,
      value,
    ]),
  );
}

/**
 * What a text without quotes is to Concourse, which reads YAML 1.1 but for dates and numbers to the base of 60:
 * both stay texts.
 */
export function resolvePlain(text: string): PlainValue {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  return infinityOf(text) ?? integerOf(text.replaceAll('_', '')) ?? floatOf(text) ?? text;
}

/** Not a number that JSON has, so it is refused later. */
function infinityOf(text: string): number | undefined {
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return /^\.(?:nan|NaN|NAN)$/.test(text) ? Number.NaN : undefined;
}

/** `0755` is octal. */
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
