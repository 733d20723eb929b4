import type { Origin } from './pipeline.ts';

/**
 * `svc://git` of a definition that came with Millrace, under whatever name and through whatever sources;
 * undefined for others.
 */
export function builtInSource({
  builtIn,
  origin,
}: {
  builtIn: boolean;
  origin?: Origin;
}): string | undefined {
  return builtIn ? (origin?.builtIn ?? origin?.source) : undefined;
}
