const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a number of bytes in the largest unit in which it is at least 1. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const exponent = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length);
  const amount = bytes / 1024 ** exponent;
  return `${amount < 10 ? amount.toFixed(1).replace(/\.0$/, '') : Math.round(amount)} ${UNITS[exponent - 1]}`;
}

/** Formats seconds as hours, minutes and seconds, without the units that are zero. Zero seconds are `0 s`. */
export function secondsInWords(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ];
  const nonZero = parts.filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount} ${unit}`);
  return nonZero.length === 0 ? '0 s' : nonZero.join(' ');
}
