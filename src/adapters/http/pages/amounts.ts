const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'];

/** Writes an amount of bytes in the largest unit of which there is at least one. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const exponent = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length);
  const amount = bytes / 1024 ** exponent;
  return `${amount < 10 ? amount.toFixed(1).replace(/\.0$/, '') : Math.round(amount)} ${UNITS[exponent - 1]}`;
}

/** Seconds in hours, minutes and seconds, without amounts of zero. No time is `0 s`. */
export function secondsInWords(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ];
  const nonZero = parts.filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount} ${unit}`);
  return nonZero.length === 0 ? '0 s' : nonZero.join(' ');
}
