import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { argv, stdout } from 'node:process';
import { renderDiagnostic } from '#domain/language/diagnostic.ts';
import type { Diagnostic } from '#domain/language/diagnostic.ts';
import type { Body, Expression, Item, Problem, Range, Value } from '#domain/language/syntax.ts';
import type { Command, Pipeline, ResourceType } from '#domain/pipeline/pipeline.ts';
import type { ResolvedSources } from '#domain/pipeline/surroundings.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import { buildEngine } from './build.ts';
import { startEngine } from './engine.ts';
import type { HclEngine } from './engine.ts';
import { readPipeline } from './read-pipeline.ts';

/*
 * The portable suite (src/domain/language/testdata) says for each text what comes of it: a tree or pipeline as JSON, diagnostics as
 * lines. To see what the engine makes of a case, and with --write to have it written beside the case, which is how an expected file
 * begins; read it before you believe it:
 *
 *   node src/adapters/hcl/describe-case.ts [--write] <case>.hcl …
 */
export interface CaseDescription {
  json?: unknown;
  /** One line a diagnostic, its help indented below. */
  text: string;
}

/** Cases under `syntax/` are about HCL itself, the others about pipelines. */
export function describeCase(engine: HclEngine, file: string): CaseDescription {
  const source = readFileSync(file);
  if (file.includes('/syntax/')) return describeSyntax(engine, source);
  const { given, sources } = readGiven(file);
  const compilation = readPipeline(engine, source, given, { sources, time: '2026-11-21T12:00:00Z' });
  const { pipeline, diagnostics, needs = [] } = compilation;
  return {
    ...(pipeline && { json: describePipeline(pipeline) }),
    text: [...diagnostics.map(describeDiagnostic), ...needs.map((need) => `needs ${need.source}\n`)].join(''),
  };
}

/** Variables stand in `<case>.vars.json`, texts under sources in `<case>.sources.json`. */
function readGiven(file: string): { given: GivenVariables; sources: ResolvedSources } {
  const read = (extension: string): string => {
    const path = file.replace(/\.hcl$/, extension);
    return existsSync(path) ? readFileSync(path, 'utf8') : '{}';
  };
  return { given: JSON.parse(read('.vars.json')), sources: JSON.parse(read('.sources.json')) };
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
      text: spell(source, expression.range),
      names,
      functions: expression.functions.map(({ name }) => name),
    };
  };
  const describeItem = (item: Item): unknown =>
    item.kind === 'attribute'
      ? { at: spot(item.range), attribute: item.name, value: describeExpression(item.expression) }
      : {
          at: spot(item.range),
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

function spell(source: Buffer, { start, end }: Range): string {
  return source.subarray(start.byte, end.byte).toString();
}

const spot = ({ start, end }: Range): string => `${start.line}:${start.column}-${end.line}:${end.column}`;

/** Numbers as the text of their digits, marked so that they are not taken for strings. */
function describeValue(value: Value): unknown {
  if (value.kind === 'null') return null;
  if (value.kind === 'string') return value.text;
  if (value.kind === 'bool') return value.value;
  if (value.kind === 'number') return { number: value.digits };
  if ('items' in value) return value.items.map(describeValue);
  return Object.fromEntries(value.entries.map(([key, element]) => [key, describeValue(element)]));
}

function describeProblem({ severity, summary, detail, subject }: Problem): string {
  return `${severity} ${subject ? spot(subject) : '-'} ${summary}\n    ${detail}\n`;
}

function describeDiagnostic(diagnostic: Diagnostic): string {
  return `${diagnostic.severity} ${diagnostic.code} ${renderDiagnostic(diagnostic)}\n    ${diagnostic.help}\n`;
}

/** Without the scripts of built-in types. */
function describePipeline({ resourceTypes, ...rest }: Pipeline): unknown {
  return { resourceTypes: resourceTypes.map(describeType), ...rest };
}

function describeType(type: ResourceType): unknown {
  const shorten = (command: Command | undefined): unknown => (type.builtIn && command ? 'built in' : command);
  const { check, pull, push, ...rest } = type;
  return { ...rest, check: shorten(check), pull: shorten(pull), push: shorten(push) };
}

if (import.meta.main) {
  const engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
  for (const file of argv.slice(2).filter((argument) => argument !== '--write')) {
    const { json, text } = describeCase(engine, file);
    const tree = json === undefined ? '' : `${JSON.stringify(json, undefined, 2)}\n`;
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
