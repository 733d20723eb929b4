import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { explained } from '#tools/cluster/explain.ts';
import { run } from '#tools/cluster/run.ts';
import { argocdConfigMap, configMapFile, healthCheck } from './config-map.ts';

interface Case {
  expect: { status: string; message: string };
  object: object;
}
const cases: Record<string, Case> = parse(
  readFileSync(join(import.meta.dirname, 'testdata', 'objects.yaml'), 'utf8'),
);

/** Argo CD's interpreter is Lua 5.1 too, and gives scripts neither files nor processes. */
const LUA = '/usr/bin/lua5.1';
const SANDBOX = 'io, os, package, require, dofile, debug = nil';

beforeAll(async () => {
  if (existsSync(LUA)) return;
  if (process.getuid?.() !== 0) throw explained('lua5.1 is missing: install the Debian package lua5.1.');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-q'], { env });
  await run('apt-get', ['install', '-q', '-y', '--no-install-recommends', 'lua5.1'], { env });
}, 600_000);

/** A JSON value as Lua text; `null` and absent are the same there. */
function luaText(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(luaText).join(',')}}`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, inner]) => `[${JSON.stringify(key)}]=${luaText(inner)}`)
      .join(',')}}`;
  }
  return value === null ? 'nil' : JSON.stringify(value);
}

async function health(object: object): Promise<{ status: string; message: string }> {
  const check = readFileSync(healthCheck, 'utf8');
  const script = `${SANDBOX}\nobj = ${luaText(object)}\nlocal function check()\n${check}\nend
local health = check()\nprint(health.status)\nprint(health.message)\n`;
  const [status = '', message = ''] = (await run(LUA, ['-'], { input: script })).split('\n');
  return { status, message };
}

describe('Argo CD shows', () => {
  test.each(Object.entries(cases))('%s', async (_, { object, expect: expected }) => {
    expect(await health(object)).toEqual(expected);
  });
});

test('the ConfigMap holds the very check that was tried', () => {
  expect(readFileSync(configMapFile, 'utf8')).toBe(argocdConfigMap(readFileSync(healthCheck, 'utf8')));
  const { data } = parse(readFileSync(configMapFile, 'utf8'));
  const customizations = parse(data['resource.customizations']);
  expect(customizations['millrace.dev/*']['health.lua']).toBe(readFileSync(healthCheck, 'utf8'));
});
