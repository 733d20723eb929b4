import { diagnoseSyntax } from '#domain/language/diagnose-syntax.ts';
import type { DiagnosticCode } from '#domain/language/diagnostic-codes.ts';
import {
  diagnose,
  hasErrors,
  renderDiagnostic,
  type Diagnostic,
  type Report,
} from '#domain/language/diagnostic.ts';
import { typeSchema } from '#domain/language/pipeline-schema.ts';
import type { LocatedString } from '#domain/language/read-attribute.ts';
import { readBody, type ReadBlock } from '#domain/language/read-block.ts';
import type { Body } from '#domain/language/syntax.ts';
import type { CompileContext, ParsedText } from './compile-context.ts';
import type { TypeKind } from './type-kinds.ts';

const SOURCE_CODES = new Set<DiagnosticCode>(['source-cycle', 'source-unavailable', 'source-digest']);

/**
 * The text of a definition, and where the pipeline refers to it. `source` is absent for a built-in
 * definition.
 */
export interface DefinitionText {
  text: string;
  source?: LocatedString;
}

/**
 * Reads the only block of the kind in the text. Errors in the text are reported at the attribute `source`.
 */
export function readDefinition<Definition>(
  kind: TypeKind<Definition>,
  { text, source }: DefinitionText,
  context: CompileContext,
): { block: ReadBlock; context: CompileContext } | undefined {
  const document = context.parse(text);
  const origin = source?.text ?? `the built-in ${kind.noun}`;
  const diagnostics: Diagnostic[] = [];
  const reportInvalid = (problem: string): void =>
    context.report(diagnose('invalid-definition', source?.range, `${origin}: ${problem}`));
  const report: Report = (diagnostic) => {
    diagnostics.push(diagnostic);
    if (diagnostic.severity !== 'error') return;
    // Errors about a chain of sources already name the source.
    if (SOURCE_CODES.has(diagnostic.code))
      context.report(diagnose(diagnostic.code, source?.range, diagnostic.message));
    else reportInvalid(renderDiagnostic(diagnostic));
  };
  for (const diagnostic of diagnoseSyntax(document)) report(diagnostic);
  const { body } = document;
  if (!body || hasErrors(diagnostics)) return undefined;
  const reader = readerOf(document, context, report);
  const blocks = readBlocks(body, reader);
  if (hasErrors(diagnostics)) return undefined;
  const [block, second] = blocks.filter(({ type }) => type === kind.block);
  if (block && !second) return { block, context: { ...context, reader, report } };
  reportInvalid(`it must have exactly one block ${kind.block}, but it has ${second ? 'several' : 'none'}`);
  return undefined;
}

/** The reader for a definition. The variables of the pipeline do not exist in it. */
function readerOf(
  { evaluate, convert, spell }: ParsedText,
  { reader }: CompileContext,
  report: Report,
): CompileContext['reader'] {
  const scope = {
    scope: new Map(),
    broken: new Set<string>(),
    unknown: new Set<string>(),
    eachBroken: false,
  };
  return { ...reader, ...scope, evaluate, convert, spell, report, partial: false, incomplete: false };
}

function readBlocks(body: Body, reader: CompileContext['reader']): ReadBlock[] {
  return readBody(reader, body, typeSchema, { name: 'a definition', range: body.range }).blocks;
}
