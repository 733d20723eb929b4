import type { Range } from '#domain/language/syntax.ts';
import type { ResolvedSources } from '#domain/pipeline/compile-context.ts';
import { compilePipeline, type Compilation } from '#domain/pipeline/compile.ts';
import { checkSize } from '#domain/pipeline/limits.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import { openDefinitions } from './definitions.ts';
import type { HclEngine } from './engine.ts';
import { parseText, type ParsedDocument } from './parse-text.ts';

export interface CompileTextOptions {
  /** The fetched texts of sources that an earlier compilation of this text asked for. */
  sources?: ResolvedSources;
  /** Result of timestamp() in RFC 3339. Absent: a call of timestamp() is an error. */
  time?: string;
  /** Called with the range of an expression before it is evaluated, and with undefined after it. */
  onEvaluation?: (range: Range | undefined) => void;
}

/**
 * Compiles a text with an engine in this thread. Throws if the engine breaks. Do not use the engine after
 * that.
 */
export function compileText(
  engine: HclEngine,
  source: string | Uint8Array,
  variables: GivenVariables,
  { sources = {}, time, onEvaluation }: CompileTextOptions = {},
): Compilation {
  const tooLarge = checkSize(Buffer.byteLength(source));
  if (tooLarge) return { diagnostics: [tooLarge] };
  const document = parseText(engine, source, time);
  const definitions = openDefinitions(engine, time);
  try {
    return compilePipeline(onEvaluation ? withCallback(document, onEvaluation) : document, {
      given: variables,
      sources,
      parse: definitions.parse,
    });
  } finally {
    document.release();
    definitions.close();
  }
}

function withCallback(
  document: ParsedDocument,
  onEvaluation: NonNullable<CompileTextOptions['onEvaluation']>,
): ParsedDocument {
  return {
    ...document,
    evaluate(expression, scope) {
      onEvaluation(expression.range);
      const evaluation = document.evaluate(expression, scope);
      onEvaluation(undefined);
      return evaluation;
    },
  };
}
