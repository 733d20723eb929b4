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

const aboutSources = new Set<DiagnosticCode>(['source-cycle', 'source-unavailable', 'source-digest']);

/** A separate text, and the place in the pipeline that refers to it. Absent for a built-in one. */
export interface DefinitionText {
  text: string;
  source?: LocatedString;
}

/** The one block of the kind in the text. Errors in the text are reported at the place of the `source`. */
export function readDefinition<Definition>(
  kind: TypeKind<Definition>,
  { text, source }: DefinitionText,
  context: CompileContext,
): { block: ReadBlock; context: CompileContext } | undefined {
  const document = context.parse(text);
  const from = source?.text ?? `the built-in ${kind.what}`;
  const found: Diagnostic[] = [];
  const tell = (what: string): void =>
    context.report(diagnose('invalid-definition', source?.range, `${from}: ${what}`));
  const report: Report = (diagnostic) => {
    found.push(diagnostic);
    if (diagnostic.severity !== 'error') return;
    // Errors of a chain of sources name their place themselves.
    if (aboutSources.has(diagnostic.code))
      context.report(diagnose(diagnostic.code, source?.range, diagnostic.message));
    else tell(renderDiagnostic(diagnostic));
  };
  for (const diagnostic of diagnoseSyntax(document)) report(diagnostic);
  const { body } = document;
  if (!body || hasErrors(found)) return undefined;
  const reader = readerOf(document, context, report);
  const blocks = readBlocks(body, reader);
  if (hasErrors(found)) return undefined;
  const [block, more] = blocks.filter(({ type }) => type === kind.block);
  if (block && !more) return { block, context: { ...context, reader, report } };
  tell(`it must have exactly one block ${kind.block}, but it has ${more ? 'several' : 'none'}`);
  return undefined;
}

/** Variables are the pipeline's: a definition has none. */
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
