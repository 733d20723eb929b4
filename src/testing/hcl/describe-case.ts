import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { argv, stdout } from 'node:process';
import { buildEngine } from '#adapters/hcl/build.ts';
import { compileText } from '#adapters/hcl/compile-text.ts';
import { startEngine, type HclEngine } from '#adapters/hcl/engine.ts';
import { renderDiagnostic, type Diagnostic } from '#domain/language/diagnostic.ts';
import type { Body, Expression, HclProblem, Item, Range, Value } from '#domain/language/syntax.ts';
import type { ResolvedSources } from '#domain/pipeline/compile-context.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';

/*
 * The portable suite (src/domain/language/testdata) has an expected result for each text: a tree or pipeline
 * as JSON, diagnostics as lines. This program prints the engine's result for a case. With --write it writes
 * the result into the expected files beside the case, and removes a file that would be empty. Read the files
 * before you commit them:
 *
 *   node src/testing/hcl/describe-case.ts [--write] <case>.hcl …
 */
export interface CaseDescription {
  json?: unknown;
  /** One line per diagnostic, with its help indented below. */
  text: string;
}

/** Cases under `syntax/` test HCL itself, the others test pipelines. */
export function describeCase(engine: HclEngine, file: string): CaseDescription {
  const source = readFileSync(file);
  if (file.includes('/syntax/')) return describeSyntax(engine, source);
  const { variables, sources } = readCaseFiles(file);
  const compilation = compileText(engine, source, variables, { sources, time: '2026-11-21T12:00:00Z' });
  const { pipeline, diagnostics, needs = [] } = compilation;
  return {
    ...(pipeline && { json: describePipeline(withoutScripts(pipeline)) }),
    text: [...diagnostics.map(describeDiagnostic), ...needs.map((need) => `needs ${need.source}\n`)].join(''),
  };
}

/** Variables are in `<case>.vars.json`, fetched texts in `<case>.sources.json`. */
function readCaseFiles(file: string): { variables: GivenVariables; sources: ResolvedSources } {
  const read = (extension: string): string => {
    const path = file.replace(/\.hcl$/, extension);
    return existsSync(path) ? readFileSync(path, 'utf8') : '{}';
  };
  return { variables: JSON.parse(read('.vars.json')), sources: JSON.parse(read('.sources.json')) };
}

function describeSyntax(engine: HclEngine, source: Buffer): CaseDescription {
  const document = engine.parse(source, 200);
  const describeExpression = (expression: Expression): unknown => {
    const { value } = document.evaluate(expression, new Map());
    if (value) return describeValue(value);
    const names = expression.variables.map(({ name, steps }) =>
      [name, ...steps.map((step) => step.name)].join('.'),
    );
    return {
      text: sourceTextOf(source, expression.range),
      names,
      functions: expression.functions.map(({ name }) => name),
    };
  };
  const describeItem = (item: Item): unknown =>
    item.kind === 'attribute'
      ? { at: positionsOf(item.range), attribute: item.name, value: describeExpression(item.expression) }
      : {
          at: positionsOf(item.range),
          block: item.type,
          ...(item.labels.length > 0 && { labels: item.labels.map(({ text }) => text) }),
          body: describeBody(item.body),
        };
  const describeBody = (body: Body): unknown => body.items.map(describeItem);
  const { body, problems } = document;
  const sound = body && problems.length === 0;
  const described = {
    ...(sound && { json: describeBody(body) }),
    text: problems.map(describeProblem).join(''),
  };
  document.release();
  return described;
}

function sourceTextOf(source: Buffer, { start, end }: Range): string {
  return source.subarray(start.byte, end.byte).toString();
}

const positionsOf = ({ start, end }: Range): string =>
  `${start.line}:${start.column}-${end.line}:${end.column}`;

/** Numbers as `{ number: "<digits>" }`, to distinguish them from strings. */
function describeValue(value: Value): unknown {
  if (value.kind === 'null') return null;
  if (value.kind === 'string') return value.text;
  if (value.kind === 'bool') return value.value;
  if (value.kind === 'number') return { number: value.digits };
  if ('items' in value) return value.items.map(describeValue);
  return Object.fromEntries(value.entries.map(([key, element]) => [key, describeValue(element)]));
}

function describeProblem({ severity, summary, detail, subject }: HclProblem): string {
  return `${severity} ${subject ? positionsOf(subject) : '-'} ${summary}\n    ${detail}\n`;
}

function describeDiagnostic(diagnostic: Diagnostic): string {
  return `${diagnostic.severity} ${diagnostic.code} ${renderDiagnostic(diagnostic)}\n    ${diagnostic.help}\n`;
}

/** Replaces texts of several lines in built-in types: they are scripts, which have tests of their own. */
function describePipeline(pipeline: Pipeline): unknown {
  const withoutLongTexts = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withoutLongTexts);
    if (typeof value === 'string') return value.includes('\n') ? 'built in' : value;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withoutLongTexts(field)]));
  };
  const shorten = (types: object[]): unknown[] =>
    types.map((type) => (isBuiltIn(type) ? withoutLongTexts(type) : type));
  return Object.fromEntries(
    Object.entries(pipeline).map(([name, part]) => [name, name.endsWith('Types') ? shorten(part) : part]),
  );
}

/** Replaces the scripts of cache tasks, which Millrace writes. */
function withoutScripts(pipeline: Pipeline): Pipeline {
  const jobs = pipeline.jobs.map((job) => ({
    ...job,
    steps: job.steps.map((step) =>
      step.kind === 'task' && step.cache !== undefined
        ? { ...step, run: { runner: 'shell' as const, cmd: 'built in' } }
        : step,
    ),
  }));
  return { ...pipeline, jobs };
}

const isBuiltIn = (value: object): boolean => 'builtIn' in value && value.builtIn === true;

const WIDTH = 110;

/** JSON with short values on one line. */
function formatJson(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value) ?? 'null';
  const spaced = typeof value === 'object' ? flatten(value) : flat;
  if (indent.length + spaced.length <= WIDTH || typeof value !== 'object' || value === null) return spaced;
  const deeper = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => formatJson(item, deeper))
    : Object.entries(value)
        .filter(([, field]) => field !== undefined)
        .map(([key, field]) => `${JSON.stringify(key)}: ${formatJson(field, deeper)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${parts.map((part) => deeper + part).join(',\n')}\n${indent}${close}`;
}

function flatten(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flatten).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([key, field]) => `${JSON.stringify(key)}: ${flatten(field)}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

if (import.meta.main) {
  const engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
  for (const file of argv.slice(2).filter((argument) => argument !== '--write')) {
    const { json, text } = describeCase(engine, file);
    const tree = json === undefined ? '' : `${formatJson(json)}\n`;
    if (!argv.includes('--write')) stdout.write(`${text}${tree}`);
    else {
      writeOrRemove(file.replace(/hcl$/, 'json'), tree);
      writeOrRemove(file.replace(/hcl$/, 'txt'), text);
    }
  }
}

function writeOrRemove(file: string, text: string): void {
  if (text === '') rmSync(file, { force: true });
  else writeFileSync(file, text);
}
