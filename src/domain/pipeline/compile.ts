import { pipelineSchema } from '#domain/language/block-schema.ts';
import { diagnose, diagnoseProblem, hasErrors, sortDiagnostics } from '#domain/language/diagnostic.ts';
import type { Diagnostic } from '#domain/language/diagnostic.ts';
import type { Reader } from '#domain/language/evaluate-expression.ts';
import { readBody } from '#domain/language/read-block.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Block, Body, Evaluate, Item, SyntaxTree, Value } from '#domain/language/syntax.ts';
import { readJobs } from './jobs.ts';
import { LIMITS } from './limits.ts';
import { checkPassed } from './passed.ts';
import type { Pipeline } from './pipeline.ts';
import { readResources } from './resources.ts';
import { readResourceTypes } from './resource-types.ts';
import { OTHERS, readVariables } from './variables.ts';
import type { GivenVariables, Variables } from './variables.ts';

/**
 * A pipeline when there is no error and every value is known; warnings may stand beside it. Diagnostics are in the order of the text.
 */
export interface Compilation {
  pipeline?: Pipeline;
  diagnostics: Diagnostic[];
}

/** Reads a parsed text as a pipeline: every error at once. Only `evaluate` may throw, when its engine is broken. */
export function compilePipeline(tree: SyntaxTree, evaluate: Evaluate, given: GivenVariables): Compilation {
  const diagnostics = tree.problems.map((problem) => diagnoseProblem(problem, 'syntax-error'));
  const { body } = tree;
  if (!body) return { diagnostics };
  const blocks = countBlocks(body);
  if (blocks > LIMITS.blocks) {
    const message = `the pipeline has ${blocks} blocks; at most ${LIMITS.blocks} are allowed`;
    return { diagnostics: [diagnose('too-many-blocks', body.range, message)] };
  }
  const pipeline = readPipeline(body, evaluate, given, diagnostics);
  const sorted = sortDiagnostics(diagnostics);
  const whole = !hasErrors(sorted) && !Object.hasOwn(given, OTHERS);
  return { ...(whole && { pipeline }), diagnostics: limit(sorted) };
}

function readPipeline(
  body: Body,
  evaluate: Evaluate,
  given: GivenVariables,
  diagnostics: Diagnostic[],
): Pipeline {
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
  const partial = hasErrors(diagnostics);
  const unscoped = { evaluate, scope: new Map(), secrets: new Set<string>(), broken: new Set<string>() };
  const unknown = new Set<string>();
  const reader: Reader = { ...unscoped, unknown, report, partial, incomplete: partial };
  const declarations = readTop(reader, body, isVariable);
  const variables = readVariables(declarations.blocks, given, report);
  const scoped = { ...reader, ...scopeOf(variables), incomplete: partial || declarations.misread.size > 0 };
  const { blocks, misread } = readTop(scoped, body, (item) => !isVariable(item));
  const ofType = (type: string): ReadBlock[] => blocks.filter((block) => block.type === type);
  const incomplete = partial || misread.size > 0;

  const types = readResourceTypes(ofType('resource_type'), misread.has('resource_type'), report);
  const resources = readResources(ofType('resource'), types, report);
  const jobs = readJobs(ofType('job'), { resources, report, incomplete });
  if (!incomplete) checkPassed(jobs, report);

  const sound = [...resources.values()].filter((resource) => resource !== 'broken');
  return {
    resourceTypes: [...new Map(sound.map(({ type }) => [type.type.name, type.type])).values()],
    resources: sound.map(({ resource }) => resource),
    jobs: jobs.map(({ job }) => job),
  };
}

const isVariable = (item: Item): boolean => item.kind === 'block' && item.type === 'variable';

function readTop(reader: Reader, body: Body, wanted: (item: Item) => boolean): ReturnType<typeof readBody> {
  const owner = { name: '', range: body.range };
  return readBody(reader, { ...body, items: body.items.filter(wanted) }, pipelineSchema, owner);
}

function scopeOf({ values, ...rest }: Variables): Pick<Reader, 'scope' | 'secrets' | 'broken' | 'unknown'> {
  const root: Value = { kind: 'object', entries: values };
  return { scope: new Map([['var', root]]), ...rest };
}

/** Without recursion: it guards what comes after it. */
function countBlocks(body: Body): number {
  let count = 0;
  const open: Body[] = [body];
  for (let next = open.pop(); next; next = open.pop()) {
    const blocks = next.items.filter((item): item is Block => item.kind === 'block');
    count += blocks.length;
    open.push(...blocks.map((block) => block.body));
  }
  return count;
}

function limit(diagnostics: Diagnostic[]): Diagnostic[] {
  const more = diagnostics.length - LIMITS.diagnostics;
  if (more <= 0) return diagnostics;
  const rest = diagnose('too-many-diagnostics', undefined, `there are ${more} more errors and warnings`);
  return [...diagnostics.slice(0, LIMITS.diagnostics), rest];
}
