import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildEngine } from '#adapters/hcl/build.ts';
import { compileText } from '#adapters/hcl/compile-text.ts';
import { startEngine, type HclEngine } from '#adapters/hcl/engine.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { builtInResourceTypes } from '#domain/pipeline/built-in-types.ts';
import { notYetOfType, notYetRun } from '#domain/pipeline/not-yet-run.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { LANGUAGE_PAGE, placesIn } from './language.ts';
import { ROOT } from './markdown.ts';

const page = readFileSync(join(ROOT, LANGUAGE_PAGE), 'utf8');
const PLACE = { line: 1, column: 1, byte: 0 };
const RANGE = { start: PLACE, end: PLACE };

/** A row of a table: its block, its name, and whether the page marks it as not yet running. */
interface Row {
  path: string[];
  name: string;
  isBlock: boolean;
  marked: boolean;
}

const rows: Row[] = placesIn(page, 'block').flatMap(({ name: place, text }) => {
  const whole = text.includes('**Not yet**');
  const path = place === 'pipeline' ? [] : place.split('.');
  return [...text.matchAll(/^\| `([a-z_]+).*?` +\| (\S+)(.*)$/gm)].map(
    ([, name = '', type, meaning = '']) => ({
      path,
      name,
      isBlock: type === 'block',
      marked: whole || meaning.includes('**not yet**'),
    }),
  );
});

/** Nested blocks, with the attribute or block of a row in the innermost. */
function written({ path, name, isBlock }: Row): ReadBlock {
  const attributes = new Map(isBlock ? [] : [[name, { nameRange: RANGE, range: RANGE }]]);
  const [last = 'pipeline', ...outer] = (isBlock ? [...path, name] : path).toReversed();
  return outer.reduce<ReadBlock>((inner, type) => ({ ...block(type), blocks: [inner] }), {
    ...block(last),
    attributes,
  });
}

function block(type: string): ReadBlock {
  const labels = [{ text: 'x', range: RANGE }];
  const nothing = { attributes: new Map(), parameters: [], axes: [], blocks: [], misread: new Set<string>() };
  return { type, labels, range: RANGE, ...nothing };
}

/** A pipeline in which everything declared is used. */
const using: Pipeline = {
  resourceTypes: [],
  resources: [],
  jobs: [],
  secrets: [{ name: 'x', type: 'vault', key: 'x' }],
  secretTypes: [{ name: 'x', builtIn: false, config: {} }],
  serviceTypes: [
    {
      name: 'x',
      builtIn: false,
      params: [],
      start: { runner: 'exec', path: 'x', args: [] },
      stop: { runner: 'exec', path: 'x', args: [] },
    },
  ],
};

let engine: HclEngine;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
}, 600_000);

/** What the operator refuses. */
function refused(text: string): string[] {
  const { diagnostics, notYetRun: later = [] } = compileText(engine, text, {});
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return later.map(({ message }) => message);
}

/** For rows that are refused in part: a text with the refused part, and one without it. */
const inPart: Readonly<Record<string, [refused: string, accepted: string]>> = {
  'variable.secret': [
    'variable "x" {\n  type = string\n  secret "env" {\n    key = "X"\n  }\n}\n',
    'variable "x" {\n  type = string\n  secret "kubernetes" {\n    path = "a"\n    key  = "b"\n  }\n}\n',
  ],
  'runner_type.run.path': [withRunner('$WORKDIR/run', 'x', 'check'), withRunner('$WORKDIR/run', 'x', 'job')],
  'runner_type.run.args': [withRunner('run', '$env', 'job'), withRunner('run', '$args', 'job')],
};

function withRunner(path: string, argument: string, use: 'check' | 'job'): string {
  const runner = `runner_type "r" {\n  run {\n    path = "${path}"\n    args = ["${argument}"]\n  }\n}\n`;
  return use === 'check'
    ? `${runner}resource_type "t" {\n  check "r" {}\n}\nresource "t" "x" {}\n`
    : `${runner}job "j" {\n  task "t" {\n    run "r" {}\n  }\n}\n`;
}

const pathOf = ({ path, name }: Row): string => [...path, name].join('.');

describe('the reference marks what the operator refuses', () => {
  const whole = rows.filter(
    (row) => !Object.keys(inPart).some((part) => `${pathOf(row)}.`.startsWith(`${part}.`)),
  );

  test('in tables that have more than a hundred rows', () => {
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter(({ marked }) => marked).length).toBeGreaterThan(20);
  });

  test('row by row, and nothing else', () => {
    const marked = whole.filter((row) => row.marked).map(pathOf);
    const refusedRows = whole.filter((row) => notYetRun(using, [written(row)]).length > 0).map(pathOf);
    expect(marked).toEqual(refusedRows);
  });

  test('in rows of which a part runs', () => {
    const partly = [...page.matchAll(/\(\*\*not yet\*\*: /g)];
    expect(partly).toHaveLength(Object.keys(inPart).length);
    for (const [name, [not, yes]] of Object.entries(inPart)) {
      expect(rows.find(({ path, name: last }) => [...path, last].join('.') === name)?.marked).toBe(true);
      expect([name, refused(not).length, refused(yes)]).toEqual([name, 1, []]);
    }
  });

  test.each([...builtInResourceTypes.keys()].filter((name) => name !== 'github-check'))(
    'of the built-in type %s',
    (type) => {
      const note = placesIn(page, 'type')
        .find(({ name }) => name === type)
        ?.text.trim();
      const text = `resource "${type}" "x" {\n  params {\n${PARAMETERS[type] ?? ''}  }\n}\n`;
      const { pipeline } = compileText(engine, text, {});
      const isRefused = refused(text).length > 0;
      const cached = pipeline?.resources.some(({ cache }) => cache);
      expect(note).toBe(
        isRefused
          ? '**Not yet**: this version reads it, and refuses a pipeline that uses it.'
          : cached
            ? '**Not yet**: `$CACHE_DIR`; it works without.'
            : '',
      );
    },
  );
});

const PARAMETERS: Readonly<Record<string, string>> = {
  git: '    url  = "https://git.example/a.git"\n    name = "a"\n',
  fs: '    path = "/a"\n',
  hostcheck: '    app_id = "1"\n    installation_id = "2"\n    private_key = "k"\n    repository = "a/b"\n',
};

describe('README', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  /** Names in rows of a kind, without text in brackets. */
  const named = (state: 'works' | 'not yet'): string[] =>
    readme
      .split('\n')
      .filter((line) => new RegExp(`^\\|.*\\| ${state} +\\|$`).test(line))
      .flatMap((line) => [...line.replaceAll(/\([^()]*\)/g, '').matchAll(/`(\w+)`/g)])
      .map(([, name = '']) => name);
  const marked = new Set([
    ...rows.filter((row) => row.marked).map(({ name }) => name),
    ...[...builtInResourceTypes.keys()].filter((type) => notYetOfType(`svc://${type}`) === true),
  ]);

  test('says of nothing that it works if the operator refuses it', () => {
    expect(named('works').length).toBeGreaterThan(10);
    const taken = new Set(rows.filter((row) => !row.marked).map(({ name }) => name));
    expect(named('works').filter((name) => marked.has(name) && !taken.has(name))).toEqual([]);
  });

  test('says of nothing that it does not run yet if the operator takes it', () => {
    expect(named('not yet').length).toBeGreaterThan(5);
    expect(named('not yet').filter((name) => !marked.has(name))).toEqual([]);
  });
});
