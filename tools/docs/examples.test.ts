import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildEngine } from '#adapters/hcl/build.ts';
import { compileText } from '#adapters/hcl/compile-text.ts';
import { startEngine, type HclEngine } from '#adapters/hcl/engine.ts';
import { FIRST_PIPELINE } from '#adapters/http/pages/empty-overview.ts';
import { renderDiagnostic } from '#domain/language/diagnostic.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { valueRows } from '#tools/chart/values-table.ts';
import { exampleManifests, faultsOf, hclBlocks, hclOf, shellBlocks, type HclExample } from './examples.ts';
import { ROOT } from './markdown.ts';

let engine: HclEngine;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
}, 600_000);

/** Diagnostics of an example, except those that it demonstrates. */
function unexpectedDiagnostics({ text, vars, secrets, expected }: HclExample): string[] {
  const variables = {
    ...Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, { value }])),
    ...Object.fromEntries(
      secrets.map((name) => [name, { value: makeSecretPlaceholder(name), secret: true }]),
    ),
  };
  const { diagnostics } = compileText(engine, text, variables);
  const codes = new Set<string>(diagnostics.map(({ code }) => code));
  return [
    ...diagnostics.filter(({ code }) => !expected.includes(code)).map(renderDiagnostic),
    ...expected.filter((code) => !codes.has(code)).map((code) => `does not show ${code}`),
  ];
}

const withPlaces = <T extends { at: string }>(examples: T[]): [string, T][] =>
  examples.map((example) => [example.at, example]);

describe('every example in HCL compiles, or shows the error that it announces', () => {
  test.each(withPlaces(hclBlocks()))('%s', (_at, example) =>
    expect(unexpectedDiagnostics(example)).toEqual([]),
  );
});

test('the first pipeline that the page of an empty team shows compiles', () => {
  const example = { at: 'empty-overview.ts', text: FIRST_PIPELINE, vars: {}, secrets: [], expected: [] };
  expect(unexpectedDiagnostics(example)).toEqual([]);
});

describe('every manifest in the documentation', () => {
  test.each(withPlaces(exampleManifests().flatMap(hclOf)))(
    '%s contains a pipeline that compiles',
    (_at, example) => {
      expect(unexpectedDiagnostics(example)).toEqual([]);
    },
  );

  test.each(withPlaces(exampleManifests()))('%s has only fields that its kind has', (_at, manifest) => {
    expect(faultsOf(manifest)).toEqual([]);
  });

  test('has its fields checked', () => {
    const object = { apiVersion: 'millrace.dev/v1alpha1', kind: 'Pipeline', spec: { configs: 'x' } };
    expect(faultsOf({ at: 'here', object })).toEqual(['here: spec has no field configs']);
  });
});

describe('every command in the documentation', () => {
  const commands = shellBlocks();

  test('sets only values that exist in the chart', () => {
    const known = valueRows(readFileSync(join(ROOT, 'charts/millrace/values.yaml'), 'utf8')).map(
      ({ name }) => name,
    );
    const unknown = commands.flatMap(({ at, text }) =>
      [...text.matchAll(/--set(?:-string|-json)? '?([\w.]+?)(?:\[\d+\])?=/g)]
        .map(([, name = '']) => name)
        .filter((name) => !known.some((value) => value === name || name.startsWith(`${value}.`)))
        .map((name) => `${at}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  test('calls only make targets that exist', () => {
    const targets = new Set(
      [...readFileSync(join(ROOT, 'Makefile'), 'utf8').matchAll(/^([a-z-]+):/gm)].map(([, name]) => name),
    );
    const unknown = commands.flatMap(({ at, text }) =>
      [...text.matchAll(/^\s*(?:[A-Z]+=\S+ )*make ([a-z-]+)/gm)]
        .filter(([, target]) => !targets.has(target ?? ''))
        .map(([, target]) => `${at}: make ${target ?? ''}`),
    );
    expect(unknown).toEqual([]);
  });

  test('runs only node scripts of config, src and e2e that exist', () => {
    const missing = commands.flatMap(({ at, text }) =>
      [...text.matchAll(/\bnode ((?:config|src|e2e)\/\S+\.ts)/g)]
        .filter(([, file]) => !exists(file ?? ''))
        .map(([, file]) => `${at}: ${file ?? ''}`),
    );
    expect(missing).toEqual([]);
  });
});

function exists(file: string): boolean {
  try {
    readFileSync(join(ROOT, file));
    return true;
  } catch {
    return false;
  }
}
