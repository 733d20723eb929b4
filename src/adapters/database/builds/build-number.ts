/** Parses `7` (`retry` is 0) and `7.1`, the first retry of build 7. Returns undefined for other texts. */
export function parseNumber(text: string): { number: number; retry: number } | undefined {
  const [, number, retry = '0'] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  return number === undefined ? undefined : { number: Number(number), retry: Number(retry) };
}
