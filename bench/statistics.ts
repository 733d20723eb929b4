/**
 * Statistics of many runs, usually in milliseconds. Median and p90 are interpolated; NaN if there is no run.
 */
export interface Summary {
  median: number;
  p90: number;
  runs: number;
}

const quantile = (sorted: number[], share: number): number => {
  const position = (sorted.length - 1) * share;
  const low = sorted[Math.floor(position)] ?? Number.NaN;
  const high = sorted[Math.ceil(position)] ?? Number.NaN;
  return low + (high - low) * (position - Math.floor(position));
};

export const summarise = (samples: number[]): Summary => {
  const sorted = samples.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), p90: quantile(sorted, 0.9), runs: samples.length };
};

const digits = (value: number): string => (value < 10 ? value.toFixed(1) : value.toFixed(0));

export const inMilliseconds = ({ median, p90, runs }: Summary): string =>
  `median ${digits(median)} ms, p90 ${digits(p90)} ms (n = ${runs})`;
