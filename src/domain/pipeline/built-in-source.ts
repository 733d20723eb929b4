import type { Origin } from './pipeline.ts';

/**
 * The source of a built-in definition, such as `svc://git`, whatever its name and through whatever sources.
 * Undefined for other definitions.
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
