import { describe, expect, test } from '@jest/globals';
import type { Job, Pipeline, ResourceType } from '#domain/pipeline/pipeline.ts';
import type { GetStep } from '#domain/pipeline/steps.ts';
import { engineArguments } from './engine-arguments.ts';
import { hostEnvironment } from './host-environment.ts';
import { localSecrets } from './local-secrets.ts';
import { versionSources } from './versions.ts';

const type = (name: string, more: Partial<ResourceType> = {}): ResourceType => ({
  name,
  builtIn: false,
  params: [],
  cache: false,
  ...more,
});
const builtIn = (name: string): Partial<ResourceType> => ({
  builtIn: true,
  origin: { source: `svc://${name}` },
});

const readSecrets = async (secrets: Record<string, string>, environment: Record<string, string>) => {
  const source = localSecrets({
    secrets: new Map(Object.entries(secrets)),
    environment,
    environmentKeys: new Map([['token', 'CI_TOKEN']]),
  });
  const lookups = ['token', 'key'].map((name) => ({
    name,
    source: 'undeclared',
    key: '',
    path: '',
    config: {},
  }));
  return await source.read({ team: '', namespace: '', pipelineId: 0 }, lookups);
};

describe('the version of a resource', () => {
  const check = { runner: 'shell', cmd: 'x' } as const;
  const cases: Record<string, [type: ResourceType, folder: string | undefined, source: object]> = {
    'with a check is the newest that it finds': [type('custom', { check }), undefined, { from: 'check' }],
    'of cron is the time': [type('cron', builtIn('cron')), undefined, { from: 'clock' }],
    'of trigger is an event': [type('trigger', builtIn('trigger')), undefined, { from: 'event' }],
    'of a type without a check is empty': [type('pushed'), undefined, { from: 'nothing' }],
    'whose check runs nothing is empty': [
      type('idle', { check: { runner: 'exec', path: '', args: [] } }),
      undefined,
      { from: 'nothing' },
    ],
    'with a local directory comes from it': [
      type('custom', { check }),
      '/app',
      { from: 'folder', folder: '/app', field: 'ref' },
    ],
    'of fs with a local directory is a hash': [
      type('fs', { ...builtIn('fs'), check }),
      '/app',
      { from: 'folder', folder: '/app', field: 'hash' },
    ],
  };
  test.each(Object.entries(cases))('%s', (_name, [resourceType, folder, source]) => {
    const name = `${resourceType.name}.a`;
    const pipeline: Pipeline = {
      resourceTypes: [resourceType],
      resources: [{ name, type: resourceType.name, label: 'a', params: {}, tags: [], cache: false }],
      jobs: [],
    };
    const get: GetStep = { kind: 'get', name: 'a', resource: name, trigger: true, passed: [] };
    const job: Job = { name: 'j', steps: [{ ...get }, { ...get, name: 'b' }] };
    const folders = new Map(folder === undefined ? [] : [[name, folder]]);
    expect([...versionSources(pipeline, job, folders)]).toEqual([[name, source]]);
  });
});

describe('the value of a secret', () => {
  test('comes from the command line, else from MILLRACE_VAR_<name>, else from the variable that the type env names', async () => {
    const environment = { MILLRACE_VAR_token: 'own', CI_TOKEN: 'type', MILLRACE_VAR_key: 'k' };
    expect(await readSecrets({ token: 'line' }, environment)).toMatchObject({
      values: new Map([
        ['token', 'line'],
        ['key', 'k'],
      ]),
    });
    expect(await readSecrets({}, environment)).toMatchObject({
      values: new Map([
        ['token', 'own'],
        ['key', 'k'],
      ]),
    });
    expect(await readSecrets({}, { CI_TOKEN: 'type', MILLRACE_VAR_key: 'k' })).toMatchObject({
      values: new Map([
        ['token', 'type'],
        ['key', 'k'],
      ]),
    });
  });

  test('is missing if nothing sets it, and the reason says what to set', async () => {
    expect(await readSecrets({}, {})).toMatchObject({
      values: new Map(),
      missing: new Map([
        [
          'token',
          'The secret token has no value: give it with --var token=<value>, or set MILLRACE_VAR_token or CI_TOKEN.',
        ],
        ['key', 'The secret key has no value: give it with --var key=<value>, or set MILLRACE_VAR_key.'],
      ]),
    });
  });
});

test('steps on this machine inherit PATH, language and proxies, but no credentials and no home directory', () => {
  const environment = {
    PATH: '/bin',
    LC_ALL: 'C',
    https_proxy: 'p',
    NO_PROXY: 'n',
    CLOUD_TOKEN: 't',
    HOME: '/home/ada',
    MY_PATH: '/x',
  };
  const folders = { root: '/r', work: '/r/work', home: '/r/home', temporary: '/r/tmp' };
  expect(hostEnvironment(environment, folders)).toEqual({
    PATH: '/bin',
    LC_ALL: 'C',
    https_proxy: 'p',
    NO_PROXY: 'n',
    HOME: '/r/home',
    TMPDIR: '/r/tmp',
  });
});

test('the arguments of an engine name variables, and never have their values', () => {
  const words = engineArguments({
    container: 'c',
    image: 'go',
    shim: '/shim',
    work: '/work',
    services: ['db'],
    variables: { KEY: 'the-value' },
  });
  expect(words.join(' ')).toContain(' --env=KEY ');
  expect(words.join(' ')).not.toContain('the-value');
  expect(words.at(-1)).toBe('go');
});
