/** Size of the letters in a picture, in points. */
export const LETTERS = 13;
/** Longer names are cut in the middle, where instances of one job differ least; the title has the whole. */
const LONGEST = 36;

/** On one line, without what cannot be seen, and without what a file of text or XML must not hold. */
export function visible(text: string): string {
  // Nearly all names, for which the careful search would take most of the time of a picture.
  if (/^[ -~]*$/.test(text)) return text;
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Cn}]/gu, '\uFFFD');
}

/** The name as it stands in the picture. */
export function labelOf(name: string): string {
  const letters = Array.from(visible(name));
  if (letters.length <= LONGEST) return letters.join('');
  const end = Math.floor(LONGEST / 2);
  return [...letters.slice(0, LONGEST - end - 1), '…', ...letters.slice(-end)].join('');
}

/**
 * How far the letters of DejaVu Sans reach, in thousandths of their size: the widest of the common sans-serif
 * fonts, so that a box made by it holds the same name in any of them.
 */
const ADVANCES =
  '318 401 460 838 636 950 780 275 390 390 500 838 318 361 318 337 636 636 636 636 636 636 636 636 636 636 337 337 838 838 838 531 1000 684 686 698 770 632 575 775 752 295 295 656 557 863 748 787 603 787 695 635 611 732 684 989 685 611 685 390 337 390 838 500 500 613 635 550 635 615 352 635 634 278 278 579 278 974 634 612 635 635 411 521 392 634 592 818 592 592 525 636 337 636 838'
    .split(' ')
    .map(Number);
/** East Asian letters and pictures fill a square; what else the table lacks is taken as one too. */
const SQUARE = 1000;

/** The table has the letter: its advance is exact. */
export const hasAdvance = (letter: string): boolean =>
  ADVANCES[(letter.codePointAt(0) ?? 0) - 32] !== undefined;

/** Width of a letter in a font of size 1. */
export function advanceOf(letter: string): number {
  const point = letter.codePointAt(0) ?? 0;
  return (ADVANCES[point - 32] ?? SQUARE) / 1000;
}

export function widthOf(label: string, size: number = LETTERS): number {
  return Array.from(label).reduce((sum, letter) => sum + advanceOf(letter), 0) * size;
}
