import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readTable, seenBy } from './lint/table.ts';

/*
 * Tests of the linter's rules: each row plants one file that breaks a rule into a copy of the configuration,
 * and expects the linter or the compiler to refuse exactly that file.
 */
const RULES: Record<string, { file: string; text: string; refusedBy: string }> = {
  'language imports a later folder of the domain': {
    file: 'src/domain/language/planted-a.ts',
    text: `import type { Plan } from '#domain/planning/plan.ts';\nexport type P = Plan;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'pipeline imports scheduling': {
    file: 'src/domain/pipeline/planted-b.ts',
    text: `import type { Facts } from '#domain/scheduling/facts.ts';\nexport type P = Facts;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'scheduling imports an adapter': {
    file: 'src/domain/scheduling/planted-c.ts',
    text: `import { x } from '#adapters/database/x.ts';\nexport const y: unknown = x;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'planning imports build': {
    file: 'src/domain/planning/planted-d.ts',
    text: `import type { BuildEvent } from '#domain/build/events.ts';\nexport type P = BuildEvent;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'build imports node': {
    file: 'src/domain/build/planted-e.ts',
    text: `import { readFileSync } from 'node:fs';\nexport const y = readFileSync;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'the domain reads the clock': {
    file: 'src/domain/scheduling/planted-f.ts',
    text: `export const now = (): unknown => new Date();\n`,
    refusedBy: 'no-restricted-globals',
  },
  'the domain uses randomness': {
    file: 'src/domain/scheduling/planted-g.ts',
    text: `export const roll = (): number => Math.random();\n`,
    refusedBy: 'no-restricted-properties',
  },
  'a flow imports a package': {
    file: 'src/flows/planted-h.ts',
    text: `import { createPool } from 'slonik';\nexport const y: unknown = createPool;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'a flow imports an adapter': {
    file: 'src/flows/planted-i.ts',
    text: `import { x } from '#adapters/http/x.ts';\nexport const y: unknown = x;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'an adapter imports its sibling': {
    file: 'src/adapters/http/planted-j.ts',
    text: `import { x } from '#adapters/database/x.ts';\nexport const y: unknown = x;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'a page imports the list of all routes': {
    file: 'src/adapters/http/pages/planted-j1.ts',
    text: `import { publicRoutes } from '#adapters/http/routes.ts';\nexport const y: unknown = publicRoutes;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'telemetry imports another adapter': {
    file: 'src/adapters/telemetry/planted-j7.ts',
    text: `import { Problem } from '#adapters/http/protocol/problem.ts';\nexport const y: unknown = Problem;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'the database imports a decision of the domain': {
    file: 'src/adapters/database/retention/planted-j2.ts',
    text: `import { retainBuilds } from '#domain/retention/decide-retention.ts';\nexport const y: unknown = retainBuilds;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'the database calls a flow': {
    file: 'src/adapters/database/pipelines/planted-j3.ts',
    text: `import { writePin } from '#flows/pipelines/pin-resource.ts';\nexport const y: unknown = writePin;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'the Kubernetes adapter chooses nodes': {
    file: 'src/adapters/kubernetes/planted-j4.ts',
    text: `import { placePod } from '#domain/planning/choose-nodes.ts';\nexport const y: unknown = placePod;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'a manifest decides the lifetime of its Pod': {
    file: 'src/adapters/kubernetes/manifests/planted-j5.ts',
    text:
      `import { checkDeadlineSeconds } from '#domain/planning/check-deadline.ts';\n` +
      'export const y = checkDeadlineSeconds;\n',
    refusedBy: 'no-restricted-imports',
  },
  'an adapter reads the configuration': {
    file: 'src/adapters/database/planted-k.ts',
    text: `import { x } from '#config';\nexport const y: unknown = x;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'an adapter reads the configuration by a relative path': {
    file: 'src/adapters/oauth/planted-k2.ts',
    text: `import { Reader } from '../../config-reader.ts';\nexport const y: unknown = Reader;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'the parser of values reads the environment': {
    file: 'src/config-reader.ts',
    text: `export const home = process.env['HOME'];\n`,
    refusedBy: 'no-process-env',
  },
  'an adapter reads the environment': {
    file: 'src/adapters/kubernetes/planted-l.ts',
    text: `export const home = process.env['HOME'];\n`,
    refusedBy: 'no-process-env',
  },
  'a manifest does I/O': {
    file: 'src/adapters/kubernetes/manifests/planted-m.ts',
    text: `import { readFileSync } from 'node:fs';\nexport const y = readFileSync;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'the agent imports a package': {
    file: 'src/agent/planted-n.ts',
    text: `import { Agent } from 'undici';\nexport const y: unknown = Agent;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'an import leaves its folder by ../': {
    file: 'src/operator/planted-o.ts',
    text: `import type { Plan } from '../domain/planning/plan.ts';\nexport type P = Plan;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'a promise is not awaited': {
    file: 'src/operator/planted-p.ts',
    text:
      'const later = async (): Promise<number> => Promise.resolve(1);\n' +
      'export const go = (): void => { later(); };\n',
    refusedBy: 'no-floating-promises',
  },
  'a script of a page does not await a promise': {
    file: 'src/web/planted-p2.ts',
    text: `const later = async () => await Promise.resolve(1);\nexport const go = (): void => { later(); };\n`,
    refusedBy: 'no-floating-promises',
  },
  'a script of a page imports an adapter': {
    file: 'src/web/planted-p3.ts',
    text: `import { route } from '#adapters/http/server/route.ts';\nexport const y: unknown = route;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'a script of a page imports a decision of the domain': {
    file: 'src/web/planted-p4.ts',
    text: `import { judge } from '#domain/build/judge-pod-end.ts';\nexport const y: unknown = judge;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'the scheduler imports its test data': {
    file: 'src/domain/scheduling/planted-v.ts',
    text: `import { HISTORIES } from './testdata/histories.ts';\nexport const y: unknown = HISTORIES;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'a flow imports test data': {
    file: 'src/flows/planted-v2.ts',
    text:
      `import { HISTORIES } from '#domain/scheduling/testdata/histories.ts';\n` +
      'export const y: unknown = HISTORIES;\n',
    refusedBy: 'no-restricted-imports',
  },
  'an entry point imports test data': {
    file: 'src/gateway/planted-v3.ts',
    text:
      `import { HISTORIES } from '#domain/scheduling/testdata/histories.ts';\n` +
      'export const y: unknown = HISTORIES;\n',
    refusedBy: 'no-restricted-imports',
  },
  'the program imports a harness': {
    file: 'src/planted-w.ts',
    text: `import { openStores } from '#testing/stores/stores.ts';\nexport const y: unknown = openStores;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'an adapter imports the gateway': {
    file: 'src/adapters/http/planted-w2.ts',
    text: `import { openAccess } from '#gateway/access.ts';\nexport const y: unknown = openAccess;\n`,
    refusedBy: 'no-restricted-imports',
  },
  'tests have more than 400 lines': {
    file: 'src/operator/planted-x.test.ts',
    text: 'export {};\n'.repeat(401),
    refusedBy: 'max-lines',
  },
  'the type any is used': {
    file: 'src/flows/planted-q.ts',
    text: `export const y = (x: any): unknown => x;\n`,
    refusedBy: 'no-explicit-any',
  },
};

const TABLE = readTable();

const ALLOWED = {
  file: 'src/adapters/database/builds/scheduling/planted-j6.ts',
  text:
    `import { NEWEST, type Facts } from '#domain/scheduling/facts.ts';\n` +
    'export const y = (facts: Facts): unknown => [facts, NEWEST];\n',
};

/** Folders whose subfolders have an order, as config/lint.yaml lists them. */
const ORDERED_FOLDERS = [
  { parent: 'domain', folders: TABLE.domain.folders },
  { parent: 'flows', folders: TABLE.flows.folders },
  ...TABLE.adapters.rooms.map(({ name, folders = [] }) => ({ parent: `adapters/${name}`, folders })),
];

const PAIRS_OF_FOLDERS = ORDERED_FOLDERS.flatMap(({ parent, folders }) =>
  [...seenBy(folders)].flatMap(([from, sees]) =>
    folders
      .filter((to) => to.name !== from)
      .map((to) => ({ parent, from, to: to.name, allowed: sees.includes(to.name) })),
  ),
);

/** One file for each pair of folders: it is in `from` and imports `to`. */
const BETWEEN_FOLDERS = PAIRS_OF_FOLDERS.map(({ parent, from, to, allowed }) => ({
  parent,
  from,
  to,
  allowed,
  file: `src/${parent}/${from}/planted-to-${to.replace('/', '-')}.ts`,
  text: `import type { X } from '#${parent}/${to}/x.ts';\nexport type Y = X;\n`,
}));

const CYCLE = {
  'src/flows/planted-r.ts': `import { b } from './planted-s.ts';\nexport const a = (): number => b();\n`,
  'src/flows/planted-s.ts': `import { a } from './planted-r.ts';\nexport const b = (): number => a();\n`,
};

const root = process.cwd();
let copy = '';
let findings: { file: string; rule: string }[] = [];

const plant = (file: string, text: string): void => {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  writeFileSync(join(copy, file), text);
};

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'millrace-gates-'));
  for (const name of ['.oxlintrc.json', 'tsconfig.json', 'package.json'])
    cpSync(join(root, name), join(copy, name));
  for (const name of ['planning/plan.ts', 'scheduling/facts.ts', 'build/events.ts', 'pipeline/pipeline.ts'])
    cpSync(join(root, 'src/domain', name), join(copy, 'src/domain', name));
  for (const name of ['src/domain/tsconfig.json', 'src/web/tsconfig.json'])
    cpSync(join(root, name), join(copy, name));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const { file, text } of Object.values(RULES)) plant(file, text);
  for (const [file, text] of Object.entries(CYCLE)) plant(file, text);
  for (const { file, text } of [ALLOWED, ...BETWEEN_FOLDERS]) plant(file, text);
  const run = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['--format=json', 'src'], {
    cwd: copy,
    encoding: 'utf8',
  });
  const report: { diagnostics: { code: string; filename: string }[] } = JSON.parse(run.stdout);
  findings = report.diagnostics.map(({ filename, code }) => ({ file: filename, rule: code }));
}, 600_000);

afterAll(() => rmSync(copy, { recursive: true, force: true }));

const isRefused = (file: string): boolean =>
  findings.some((finding) => finding.file === file && finding.rule.includes('no-restricted-imports'));

describe('the linter refuses a file in which', () => {
  test.each(Object.entries(RULES))('%s', (_sentence, { file, refusedBy }) => {
    expect(findings.filter((finding) => finding.file === file).map(({ rule }) => rule)).toContainEqual(
      expect.stringContaining(refusedBy),
    );
  });

  test('but not one in which an adapter imports a type and a constant of the domain', () => {
    expect(findings.filter(({ file }) => file === ALLOWED.file)).toEqual([]);
  });

  test.each(BETWEEN_FOLDERS.filter(({ allowed }) => !allowed))(
    'the folder $from of $parent imports $to',
    ({ file }) => {
      expect(isRefused(file)).toBe(true);
    },
  );

  test('but not one in which a folder imports a folder before it', () => {
    const forwards = BETWEEN_FOLDERS.filter(({ allowed }) => allowed);
    expect(forwards.filter(({ file }) => isRefused(file))).toEqual([]);
  });

  test('two files import each other', () => {
    expect(findings).toContainEqual({
      file: 'src/flows/planted-r.ts',
      rule: expect.stringContaining('no-cycle'),
    });
  });
});

test('the compiler has no clock, timer or process in the domain', () => {
  plant('src/domain/build/planted-t.ts', `setTimeout(() => process.exit(), 1);\nexport {};\n`);
  const run = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'src/domain'], {
    cwd: copy,
    encoding: 'utf8',
  });
  expect(run.stdout).toMatch(/planted-t\.ts.*Cannot find name 'setTimeout'/);
  expect(run.stdout).toMatch(/planted-t\.ts.*Cannot find name 'process'/);
}, 600_000);

test('the compiler gives scripts of pages the types of a page and no process', () => {
  plant(
    'src/web/planted-u.ts',
    `export const go = (name: string) => document.title.concat(name.lenght, process.pid);\n`,
  );
  const run = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'src/web'], {
    cwd: copy,
    encoding: 'utf8',
  });
  expect(run.stdout).toMatch(/planted-u\.ts.*Property 'lenght' does not exist/);
  expect(run.stdout).toMatch(/planted-u\.ts.*Cannot find name 'process'/);
  expect(run.stdout).not.toContain("'document'");
}, 600_000);
