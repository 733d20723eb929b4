/** A number and what it counts: `1 job`, `2 jobs`. */
export function countOf(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
