import { diagnoseSyntax, withoutFollowUpDiagnostics } from '#domain/language/diagnose-syntax.ts';
import {
  diagnose,
  hasErrors,
  sortDiagnostics,
  type Diagnostic,
  type Report,
} from '#domain/language/diagnostic.ts';
import { nameBlocks } from '#domain/language/enclosing-blocks.ts';
import type { BlockReader } from '#domain/language/evaluate-expression.ts';
import { completeMessages } from '#domain/language/in-instances.ts';
import { mayFollowFromLostText } from '#domain/language/lost-text.ts';
import { pipelineSchema } from '#domain/language/pipeline-schema.ts';
import { readBody, type ReadBlock } from '#domain/language/read-block.ts';
import { losesContent } from '#domain/language/syntax-help.ts';
import type { Block, Body, Item, Value } from '#domain/language/syntax.ts';
import type { CompileContext, NeededSource, Parse, ParsedText, ResolvedSources } from './compile-context.ts';
import { LIMITS } from './limits.ts';
import type { Pipeline } from './pipeline.ts';
import { resolvePipeline } from './resolve-pipeline.ts';
import { isResourceGroup, readResourceGroups } from './resource-groups.ts';
import { attributesOfCallers } from './runner-callers.ts';
import { readSecretBlocks } from './secret-blocks.ts';
import { findSecretNames } from './secret-placeholder.ts';
import { readDeclaredVariables, UNKNOWN_OTHERS, type GivenVariables, type Variables } from './variables.ts';
import { volumeUses, type VolumeUse } from './volume-paths.ts';

/**
 * Contains a pipeline if there is no error and every value is known; there may be warnings. Diagnostics are
 * in the order of the text.
 */
export interface Compilation {
  pipeline?: Pipeline;
  diagnostics: Diagnostic[];
  /** Paths that must be on a volume of the Team. */
  volumes?: VolumeUse[];
  /** Texts to fetch before compiling again. While there are any, there is no pipeline. */
  needs?: NeededSource[];
}

/** What compiling requires besides the text. */
export interface CompileInput {
  given: GivenVariables;
  sources?: ResolvedSources;
  /** Parses definitions that have a text of their own (`source`). */
  parse: Parse;
}

/**
 * Reads a parsed text as a pipeline, and reports all errors at once, up to `LIMITS.diagnostics`. It throws
 * only if the HCL engine is broken.
 */
export function compilePipeline(text: ParsedText, input: CompileInput): Compilation {
  const { body } = text;
  const syntaxDiagnostics = diagnoseSyntax(text);
  if (!body) return { diagnostics: limit(sortDiagnostics(syntaxDiagnostics)) };
  const blocks = countBlocks(body);
  if (blocks > LIMITS.blocks) {
    const message = `the pipeline has ${blocks} blocks; at most ${LIMITS.blocks} are allowed`;
    return { diagnostics: [diagnose('too-many-blocks', body.range, message)] };
  }
  const isEmpty = body.items.length === 0 && !hasErrors(syntaxDiagnostics);
  const empty = isEmpty ? [diagnose('empty-pipeline', body.range, 'the pipeline is empty')] : [];
  const { needs, ...read } = readText({ ...text, body }, input, text.problems.some(losesContent));
  const diagnostics = [...syntaxDiagnostics, ...empty, ...withoutFollowUpDiagnostics(read.diagnostics, text)];
  const sortAndName = (unsorted: Diagnostic[]): Diagnostic[] =>
    nameBlocks(limit(sortDiagnostics(unsorted)), body);
  const sorted = sortAndName(completeMessages(diagnostics));
  if (hasErrors(diagnostics)) return { diagnostics: sorted, ...(needs.length > 0 && { needs }) };
  const checked = { diagnostics: sorted, ...findVolumeUses(read, sortAndName) };
  if (needs.length > 0) return { ...checked, needs };
  return { ...(!Object.hasOwn(input.given, UNKNOWN_OTHERS) && { pipeline: read.pipeline }), ...checked };
}

/** Finds the paths that need a volume of the Team. The operator may refuse a valid text because of them. */
function findVolumeUses(
  { pipeline, blocks }: Pick<ReadText, 'pipeline' | 'blocks'>,
  sortAndName: (unsorted: Diagnostic[]) => Diagnostic[],
): Pick<Compilation, 'volumes'> {
  const volumes = volumeUses(pipeline, blocks).flatMap((use) =>
    sortAndName([use.place]).map((place) => ({ ...use, place })),
  );
  return volumes.length > 0 ? { volumes } : {};
}

interface ReadText {
  pipeline: Pipeline;
  blocks: ReadBlock[];
  diagnostics: Diagnostic[];
  needs: NeededSource[];
}

/** Reads the blocks of a text. `partial`: some of the text could not be parsed. */
function readText(text: ParsedText & { body: Body }, input: CompileInput, partial: boolean): ReadText {
  const { body } = text;
  const diagnostics: Diagnostic[] = [];
  const needs: NeededSource[] = [];
  const report = (diagnostic: Diagnostic): void => {
    if (!partial || !mayFollowFromLostText(diagnostic)) diagnostics.push(diagnostic);
  };
  const variableReader = readerWithoutVariables(text, report, partial);
  const declarations = readTopLevelBlocks(
    variableReader,
    body,
    (item) => isBlock(item, 'variable') && { ...item, body: bodyWithoutSecret(item) },
  );
  const variables = readDeclaredVariables(declarations.blocks, {
    reader: variableReader,
    report,
    given: input.given,
    withSecret: new Set(variablesWithSecret(body)),
  });
  const incomplete = partial || declarations.misread.size > 0;
  const reader: BlockReader = { ...variableReader, ...scopeOf(variables), incomplete };
  const secretBlocks = readSecretBlocks(body, variables, reader);
  const { blocks, misread } = readOtherBlocks(reader, body);
  const { parse, sources = {} } = input;
  const context: CompileContext = {
    reader,
    report,
    parse,
    sources,
    need: (source) => void needs.push(source),
    runners: new Map(),
    callers: attributesOfCallers(body, reader.runners),
    embedded: false,
    misread,
  };
  const read = resolvePipeline(
    {
      blocks,
      jobs: body.items.filter((item) => isBlock(item, 'job')),
      secrets: secretBlocks,
      incomplete: partial || misread.size > 0,
    },
    context,
  );
  return {
    pipeline: read.pipeline,
    blocks: [...secretBlocks.map(({ owner }) => owner), ...blocks, ...read.jobs],
    diagnostics,
    needs,
  };
}

/** The reader for variable blocks, whose expressions cannot refer to variables. */
function readerWithoutVariables(
  { body, evaluate, convert, spell }: ParsedText & { body: Body },
  report: Report,
  partial: boolean,
): BlockReader {
  return {
    evaluate,
    convert,
    spell,
    scope: new Map(),
    secretsIn: findSecretNames,
    broken: new Set(),
    unknown: new Set(),
    eachBroken: partial,
    runners: labelsOf(body, 'runner_type'),
    report,
    partial,
    incomplete: partial,
  };
}

/** Reads the top-level blocks other than variables and jobs. */
function readOtherBlocks(
  reader: BlockReader,
  body: Body,
): { blocks: ReadBlock[]; misread: ReadonlySet<string> } {
  const topLevel = readTopLevelBlocks(
    reader,
    body,
    (item) => !isBlock(item, 'variable') && !isBlock(item, 'job') && !isResourceGroup(item) && item,
  );
  const groups = readResourceGroups(reader, body);
  const blocks = [...topLevel.blocks, ...groups.blocks];
  return {
    blocks: blocks.toSorted((a, b) => a.range.start.byte - b.range.start.byte),
    misread: new Set([...topLevel.misread, ...(groups.incomplete ? ['resource'] : [])]),
  };
}

const isBlock = (item: Item, type: string): item is Block => item.kind === 'block' && item.type === type;

/**
 * The body of a variable block without its secret block, which may refer to variables and is read after them.
 */
function bodyWithoutSecret({ body }: Block): Body {
  return { ...body, items: body.items.filter((item) => !isBlock(item, 'secret')) };
}

function variablesWithSecret(body: Body): string[] {
  return body.items
    .filter((item) => isBlock(item, 'variable'))
    .filter((block) => block.body.items.some((item) => isBlock(item, 'secret')))
    .map(({ labels }) => labels[0]?.text ?? '');
}

function labelsOf(body: Body, type: string): Set<string> {
  const blocks = body.items.filter((item) => isBlock(item, type));
  return new Set(blocks.map(({ labels }) => labels[0]?.text ?? ''));
}

function readTopLevelBlocks(
  reader: BlockReader,
  body: Body,
  pick: (item: Item) => Item | false,
): { blocks: ReadBlock[]; misread: ReadonlySet<string> } {
  const owner = { name: '', range: body.range };
  const items = body.items.flatMap((item) => pick(item) || []);
  return readBody(reader, { ...body, items }, pipelineSchema, owner);
}

function scopeOf({ values, broken, unknown }: Variables): Pick<BlockReader, 'scope' | 'broken' | 'unknown'> {
  const root: Value = { kind: 'object', entries: values };
  return { scope: new Map([['var', root]]), broken, unknown };
}

/**
 * Counts nested blocks too. It does not recurse, because it protects the recursive functions that run after
 * it.
 */
function countBlocks(body: Body): number {
  let count = 0;
  const pending: Body[] = [body];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const blocks = next.items.filter((item): item is Block => item.kind === 'block');
    count += blocks.length;
    pending.push(...blocks.map((block) => block.body));
  }
  return count;
}

function limit(diagnostics: Diagnostic[]): Diagnostic[] {
  const more = diagnostics.length - LIMITS.diagnostics;
  if (more <= 0) return diagnostics;
  const note = diagnose('too-many-diagnostics', undefined, `there are ${more} more errors and warnings`);
  return [...diagnostics.slice(0, LIMITS.diagnostics), note];
}
