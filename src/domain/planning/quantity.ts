const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
};

/**
 * Bytes of a Kubernetes quantity (`1Gi`, `1.5G`, `1048576`), rounded down. Undefined for anything else, such
 * as quantities with another suffix (`P`, `m`) or an exponent.
 */
export function bytesOf(quantity: string): number | undefined {
  const groups = /^(?<amount>\d{1,15}(?:\.\d{1,9})?)(?<suffix>[kMGT]|[KMGT]i)?$/.exec(quantity)?.groups;
  const factor = FACTORS[groups?.['suffix'] ?? ''];
  if (groups === undefined || factor === undefined) return undefined;
  return Math.floor(Number(groups['amount']) * factor);
}
