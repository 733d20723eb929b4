import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import * as builtIn from '#domain/pipeline/built-in-types.ts';
import type { Command } from '#domain/pipeline/command.ts';
import { fillImage } from '#domain/pipeline/service-image.ts';
import { buildEngine } from './build.ts';
import { compileText } from './compile-text.ts';
import { startEngine, type HclEngine } from './engine.ts';

let engine: HclEngine;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
}, 600_000);

/** Pipelines that use a type, by kind of type. Only a used definition is compiled. */
const textsThatUse: Record<string, (name: string) => string> = {
  resource: (name) => `resource "${name}" "x" {\n  params {\n${paramsOf(name)}\n  }\n}\n`,
  notification: (name) => `notification "${name}" "x" {\n  params {\n${paramsOf(name)}\n  }\n}\n`,
  service: (name) => `job "x" {\n  service "${name}" {}\n}\n`,
  secret: (name) =>
    `variable "x" {\n  type = string\n  secret "${name}-own" {\n` +
    `${SECRET_LOCATIONS[name] ?? '    path = "p"\n    key  = "k"'}\n  }\n}\n` +
    `secret_type "${name}-own" {\n  source = "svc://${name}"\n${attributesOf({ address: VALUES.address, token: VALUES.token })}\n}\n`,
  runner: (name) =>
    `runner_type "own" {\n  source = "svc://${name}"\n}\njob "x" {\n  task "t" {\n    run "own" {\n` +
    '      path = "true"\n      cmd  = "true"\n    }\n  }\n}\n',
};

/** Attributes that locate a secret of a type, if the type needs others than `path` and `key`. */
const SECRET_LOCATIONS: Readonly<Record<string, string>> = {
  file: '    path = "p"\n    key  = "content"',
  store: '    key = "k"',
  vault: '    path = "secret/p"\n    key  = "k"',
};

const VALUES = {
  url: 'https://forge.example/o/r.git',
  name: 'app',
  path: '/data',
  base_dir: '/data',
  webhook_url: 'https://chat.example/hook',
  app_id: '1',
  installation_id: '2',
  private_key: 'key',
  repository: 'o/r',
  address: 'https://vault.example',
  token: 'token',
};

/** Types that refuse some of `VALUES` together, or need others. */
const VALUES_OF_TYPE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  git: { name: 'app', url: VALUES.url, token: 'token' },
  email: { host: 'mail.example', from: 'ci@mail.example', to: 'ann@mail.example' },
  'commit-status': { repository: 'o/r', provider: 'github', token: 'token' },
};

const attributesOf = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `    ${name} = "${value}"`)
    .join('\n');

const paramsOf = (type: string): string => attributesOf(VALUES_OF_TYPE[type] ?? VALUES);

const typesByKind = [
  ['resource', builtIn.builtInResourceTypes],
  ['notification', builtIn.builtInNotificationTypes],
  ['service', builtIn.builtInServiceTypes],
  ['secret', builtIn.builtInSecretTypes],
  ['runner', builtIn.builtInRunnerTypes],
] as const;
const cases = typesByKind.flatMap(([kind, types]) =>
  [...types.keys()].map((name): [string, string] => [kind, name]),
);

function commandsIn(value: unknown): Command[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn);
  if (typeof value !== 'object' || value === null) return [];
  return isCommand(value) ? [value] : Object.values(value).flatMap(commandsIn);
}

const isCommand = (value: object): value is Command => 'runner' in value && typeof value.runner === 'string';

describe('built-in definitions', () => {
  test.each(cases)(
    'include the %s type %s, which compiles without errors and whose scripts are valid',
    (kind, name) => {
      const { pipeline, diagnostics } = compileText(engine, textsThatUse[kind]?.(name) ?? '', {});
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      const commands = commandsIn(pipeline).flatMap((command) => ('cmd' in command ? [command.cmd] : []));
      for (const script of commands) execFileSync('/bin/sh', ['-n'], { input: script });
      expect(JSON.stringify(pipeline)).not.toContain('$${');
    },
  );

  test('give services an image even without parameters', () => {
    for (const name of builtIn.builtInServiceTypes.keys()) {
      const { pipeline } = compileText(engine, `job "x" {\n  service "${name}" {}\n}\n`, {});
      const [type] = pipeline?.serviceTypes ?? [];
      const image = type?.start.runner === 'docker' ? fillImage(type.start.image, {}) : '';
      expect(image).toMatch(/^[a-z/]+:[0-9.]+(-alpine)?$/);
    }
  });
});
