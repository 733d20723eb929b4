/** Parses `7` and `7.1`: the number of a build and of its retry. Undefined for other texts. */
export function parseNumber(text: string): { number: number; retry: number } | undefined {
  const [, number, retry = '0'] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  return number === undefined ? undefined : { number: Number(number), retry: Number(retry) };
}
