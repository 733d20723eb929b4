/** The alphabet that RFC 8628 suggests: it has no vowels, so codes contain no words. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/**
 * A new code for a person to compare or type, such as `BCDF-GHJK`. `randomBelow` returns a random whole
 * number from 0 to its argument, which is excluded.
 */
export function makeLoginCode(randomBelow: (below: number) => number): string {
  const letters = Array.from({ length: LENGTH }, () => LETTERS.charAt(randomBelow(LETTERS.length))).join('');
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`;
}

/**
 * The code that a person typed, in its usual form. Undefined: they did not type a code. Upper and lower case,
 * spaces and hyphens do not matter.
 */
export function readLoginCode(typed: string): string | undefined {
  const letters = typed.toUpperCase().replaceAll(/[\s-]/g, '');
  if (letters.length !== LENGTH || Array.from(letters).some((letter) => !LETTERS.includes(letter)))
    return undefined;
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`;
}
