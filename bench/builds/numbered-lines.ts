export const LINE_BYTES = 100;
const DIGITS = 9;

/** A command that prints lines of `LINE_BYTES` bytes, numbered from 1. */
export function printLines(count: number): string {
  const filling = 'x'.repeat(LINE_BYTES - DIGITS - 2);
  return `awk 'BEGIN { for (i = 1; i <= ${count}; i++) printf "%0${DIGITS}d ${filling}\\n", i }'`;
}

/** The first line that is missing, out of order or not whole; undefined if there is none. */
export function firstWrongLine(log: string, count: number): number | undefined {
  let at = log.indexOf(`${'1'.padStart(DIGITS, '0')} `);
  if (at === -1) return 1;
  for (let line = 1; line <= count; line += 1) {
    const end = at + LINE_BYTES - 1;
    const number = log.slice(at, at + DIGITS);
    if (number !== String(line).padStart(DIGITS, '0') || log[end] !== '\n' || log[end - 1] !== 'x')
      return line;
    at = end + 1;
  }
  return undefined;
}
