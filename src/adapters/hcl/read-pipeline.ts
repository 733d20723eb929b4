import { compilePipeline } from '#domain/pipeline/compile.ts';
import type { Compilation } from '#domain/pipeline/compile.ts';
import { checkSize, LIMITS } from '#domain/pipeline/limits.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import type { HclEngine } from './engine.ts';

/** Text to pipeline with an engine in this thread. Throws when the engine broke; then start another one. `time`: for timestamp(). */
export function readPipeline(
  engine: HclEngine,
  source: string | Uint8Array,
  variables: GivenVariables,
  time?: string,
): Compilation {
  const tooLarge = checkSize(Buffer.byteLength(source));
  if (tooLarge) return { diagnostics: [tooLarge] };
  const document = engine.parse(source, LIMITS.depth, time);
  try {
    return compilePipeline(document, document.evaluate, variables);
  } finally {
    document.release();
  }
}
