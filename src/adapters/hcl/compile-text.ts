import type { Range } from '#domain/language/syntax.ts';
import type { ResolvedSources } from '#domain/pipeline/compile-context.ts';
import { compilePipeline, type Compilation } from '#domain/pipeline/compile.ts';
import { checkSize } from '#domain/pipeline/limits.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import { openDefinitions } from './definitions.ts';
import type { HclEngine } from './engine.ts';
import { parseText, type ParsedDocument } from './parse-text.ts';

export interface ReadOptions {
  /** Texts under sources that an earlier compilation said it needs. */
  sources?: ResolvedSources;
  /** What timestamp() answers, as RFC 3339 says; without it that function is an error. */
  time?: string;
  /** Is told which expression is evaluated, and when that is done. */
  atWork?: (range: Range | undefined) => void;
}

/** Text to pipeline with an engine in this thread. Throws when the engine broke; then start another one. */
export function readPipeline(
  engine: HclEngine,
  source: string | Uint8Array,
  given: GivenVariables,
  { sources = {}, time, atWork }: ReadOptions = {},
): Compilation {
  const tooLarge = checkSize(Buffer.byteLength(source));
  if (tooLarge) return { diagnostics: [tooLarge] };
  const document = parseText(engine, source, time);
  const definitions = openDefinitions(engine, time);
  try {
    return compilePipeline(atWork ? watched(document, atWork) : document, {
      given,
      sources,
      parse: definitions.parse,
    });
  } finally {
    document.release();
    definitions.close();
  }
}

function watched(document: ParsedDocument, atWork: NonNullable<ReadOptions['atWork']>): ParsedDocument {
  return {
    ...document,
    evaluate(expression, scope) {
      atWork(expression.range);
      const evaluation = document.evaluate(expression, scope);
      atWork(undefined);
      return evaluation;
    },
  };
}
