/** The alphabet that RFC 8628 suggests: it has no vowels, so codes contain no words. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/**
 * A code that people compare and type: `BCDF-GHJK`. `randomBelow` returns a random number below its argument.
 */
export function makeLoginCode(randomBelow: (below: number) => number): string {
  const letters = Array.from({ length: LENGTH }, () => LETTERS.charAt(randomBelow(LETTERS.length))).join('');
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`;
}

/** The code in what a person typed, in any case and with any separators; undefined if there is none. */
export function readLoginCode(typed: string): string | undefined {
  const letters = typed.toUpperCase().replaceAll(/[\s-]/g, '');
  if (letters.length !== LENGTH || Array.from(letters).some((letter) => !LETTERS.includes(letter)))
    return undefined;
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`;
}
