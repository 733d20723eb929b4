/* Numbers as people read them. The server and the scripts of its pages share these functions. */

/** The number with its noun, which is passed in the singular: `1 job`, `2 jobs`. */
export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** A duration in its two largest units: `2 h 5 min`, `3 min 4 s`, `5 s`. */
export function durationInWords(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
