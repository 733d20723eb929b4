/** Font size in pictures, in points. */
export const FONT_SIZE = 13;
/**
 * The maximum number of characters in a label. Longer names are cut in the middle, because the names of the
 * jobs in a group differ at the end. The title of the node has the full name.
 */
const MAX_LABEL_LENGTH = 36;

/** Replaces each invisible character, line break and character that XML forbids by U+FFFD. */
export function replaceInvisible(text: string): string {
  // This test lets nearly all names skip the slow pattern below, which would take most of the time of a
  // picture.
  if (/^[ -~]*$/.test(text)) return text;
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Cn}]/gu, '\uFFFD');
}

/** The name as the picture shows it. */
export function labelOf(name: string): string {
  const letters = Array.from(replaceInvisible(name));
  if (letters.length <= MAX_LABEL_LENGTH) return letters.join('');
  const end = Math.floor(MAX_LABEL_LENGTH / 2);
  return [...letters.slice(0, MAX_LABEL_LENGTH - end - 1), '…', ...letters.slice(-end)].join('');
}

/**
 * Widths of the printable ASCII characters in DejaVu Sans, in thousandths of the font size, from the space
 * on. DejaVu Sans is one of the widest common sans-serif fonts, so labels fit in nearly all others too.
 */
const ADVANCES = (
  '318 401 460 838 636 950 780 275 390 390 500 838 318 361 318 337 636 636 636 636 636 636 636 636 ' +
  '636 636 337 337 838 838 838 531 1000 684 686 698 770 632 575 775 752 295 295 656 557 863 748 ' +
  '787 603 787 695 635 611 732 684 989 685 611 685 390 337 390 838 500 500 613 635 550 635 615 352 ' +
  '635 634 278 278 579 278 974 634 612 635 635 411 521 392 634 592 818 592 592 525 636 337 636 838'
)
  .split(' ')
  .map(Number);
/**
 * Width of all other characters, in thousandths of the font size: East Asian characters and emoji fill a
 * square.
 */
const SQUARE = 1000;

/** Whether `advanceOf` is exact for the character. */
export const hasAdvance = (letter: string): boolean =>
  ADVANCES[(letter.codePointAt(0) ?? 0) - 32] !== undefined;

/** Width of a character as a fraction of the font size. */
export function advanceOf(letter: string): number {
  const point = letter.codePointAt(0) ?? 0;
  return (ADVANCES[point - 32] ?? SQUARE) / 1000;
}

/** Width of the label, in the unit of `size`. */
export function widthOf(label: string, size: number = FONT_SIZE): number {
  return Array.from(label).reduce((sum, letter) => sum + advanceOf(letter), 0) * size;
}
