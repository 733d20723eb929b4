import type { Origin } from './pipeline.ts';

/**
 * The source of a built-in definition, such as `svc://git`, even if the pipeline gives the type another name
 * or reaches the definition through other sources. Undefined for other definitions.
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
