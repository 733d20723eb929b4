import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { renderDiagnostic } from '#domain/language/diagnostic.ts';
import type { ResolvedSources } from '#domain/pipeline/compile-context.ts';
import { isTriggerStream } from '#domain/pipeline/resources.ts';
import { buildEngine } from './build.ts';
import { compileText } from './compile-text.ts';
import { startEngine, type HclEngine } from './engine.ts';

let engine: HclEngine;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
}, 600_000);

/** What the operator would have to pass over. */
function refused(text: string, fetched: Readonly<Record<string, string>> = {}): string[] {
  const { diagnostics, notYetRun = [] } = compileText(engine, text, {}, { sources: sourcesOf(fetched) });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(notYetRun.every(({ code, severity }) => code === 'later-feature' && severity === 'error')).toBe(
    true,
  );
  return notYetRun.map((diagnostic) => renderDiagnostic({ ...diagnostic, blocks: [] }));
}

function sourcesOf(texts: Readonly<Record<string, string>>): ResolvedSources {
  return Object.fromEntries(
    Object.entries(texts).map(([url, text]) => [url, { text, digest: `sha256:${url}` }]),
  );
}

const secret = (name: string, type: string): string =>
  `variable "${name}" {\n  type = string\n  secret "${type}" {\n    path = "a"\n    key  = "b"\n  }\n}\n`;
const job = (inner: string): string => `job "a" {\n${inner}\n}\n`;
const TASK = 'task "t" {\n    run "shell" {\n      cmd = "true"\n    }\n  }';
const CHAT = 'notification "slack" "s" {\n  params {\n    webhook_url = "https://chat.example"\n  }\n}\n';
const CRON = 'resource "cron" "c" {}\n';

describe('the operator refuses for now', () => {
  test.each<[what: string, text: string, place: string]>([
    ['services', job('  service "redis" {}'), '2:3: service in job'],
    ['groups', job(`  in_parallel {\n  ${TASK}\n  }`), '2:3: in_parallel in job'],
    ['branches', job(`  if "a == a" {\n  ${TASK}\n  }`), '2:3: if in job'],
    ['inputs', job(`  input "x" {\n    type = string\n  }\n  ${TASK}`), '2:3: input in job'],
    ['notify steps', CHAT + job(`  notify "slack" "s" {}\n  ${TASK}`), '7:3: notify in job'],
    ['hooks of jobs', job(`  ${TASK}\n  ensure "exec" {\n    path = "x"\n  }`), '7:3: ensure in job'],
    ['timeouts', job(`  timeout = "1m"\n  ${TASK}`), '2:3: timeout in job'],
    ['caches', 'resource "cron" "c" {\n  cache = true\n}\n', '2:3: cache in resource'],
    [
      'the type fs',
      'resource "fs" "f" {\n  params {\n    path = "/x"\n  }\n}\n',
      '1:1: the resource type fs',
    ],
    [
      'the type fs under another name',
      'resource_type "t" {\n  source = "svc://fs"\n}\nresource "t" "x" {\n  params {\n    path = "/x"\n  }\n}\n',
      '4:1: the resource type fs',
    ],
    [
      'secrets that only a later gateway reads',
      'variable "x" {\n  type = string\n  secret "env" {\n    key = "X"\n  }\n}\n',
      '3:3: secrets of type env',
    ],
    [
      'templates that only the agent can fill in',
      `runner_type "r" {\n  run {\n    path = "x"\n    args = ["$env"]\n  }\n}\n${job('  task "t" {\n    run "r" {}\n  }')}`,
      '1:1: $env in a runner_type',
    ],
    [
      'notifications that are sent by themselves',
      CHAT.replace('{\n', '{\n  on = ["failure"]\n'),
      '2:3: on in notification',
    ],
  ])('%s', (_what, text, place) => {
    const [at = '', ...feature] = place.split(' ');
    expect(refused(text)).toEqual([`${at} this version cannot run ${feature.join(' ')} yet`]);
  });

  test('what a gate tells others', () => {
    const gate = `  approve "x" {\n    notify "slack" "s" {}\n  }\n  ${TASK}`;
    expect(refused(CHAT + job(gate))).toEqual(['8:5: this version cannot run notify in approve yet']);
  });

  test('of several secrets those that are not in place', () => {
    const own = 'secret_type "own" {\n  get "shell" {\n    cmd = "x"\n  }\n}\n';
    expect(refused(secret('x', 'kubernetes') + secret('y', 'own') + own)).toEqual([
      '10:3: this version cannot run secrets of type own yet',
      '15:1: this version cannot run secret_type yet',
    ]);
    expect(refused(secret('x', 'kubernetes') + own)).toEqual([]);
  });

  test('each feature once, with the number of its places', () => {
    const text =
      ['x', 'y', 'z'].map((name) => secret(name, 'env').replace('    path = "a"\n', '')).join('') +
      job(`  timeout = "1m"\n  ${TASK}`);
    expect(refused(text)).toEqual([
      '3:3: this version cannot run secrets of type env yet (3 places)',
      '20:3: this version cannot run timeout in job yet',
    ]);
    const [first] = compileText(engine, text, {}).notYetRun ?? [];
    expect(first?.otherRanges?.map(({ start }) => start.line)).toEqual([9, 15]);
  });

  test('what stands beside a source that is not fetched yet', () => {
    const type = 'resource_type "x" {\n  source = "https://example.org/x.hcl"\n}\n';
    expect(refused(type + job(`  timeout = "1m"\n  ${TASK}`))).toEqual([
      '5:3: this version cannot run timeout in job yet',
    ]);
  });

  test('a part of every instance once', () => {
    expect(refused(job(`  for_each = toset(["x", "y"])\n  timeout = "1m"\n  ${TASK}`))).toHaveLength(1);
  });
});

const URL_OF_TYPE = 'https://example.org/type.hcl';
const withFetched = (params = ''): string =>
  `resource_type "t" {\n  source = "${URL_OF_TYPE}"\n}\nresource "t" "x" {\n  params {\n${params}  }\n}\n`;
const pointingTo = (source: string): string => `resource_type "any" {\n  source = "${source}"\n}\n`;
const own = (more: string): string =>
  `resource_type "any" {\n${more}  check "exec" {\n    path = "x"\n  }\n}\n`;

describe('the operator sees what a fetched definition brings', () => {
  test.each<[what: string, definition: string, params: string, refusals: string[]]>([
    [
      'a cache',
      own('  cache = true\n'),
      '',
      [`4:1: this version cannot run cache in the resource_type of ${URL_OF_TYPE} yet`],
    ],
    [
      'the type fs',
      pointingTo('svc://fs'),
      '    path = "/x"\n',
      ['4:1: this version cannot run the resource type fs yet'],
    ],
    [
      'the type artifact',
      pointingTo('svc://artifact'),
      '',
      ['4:1: this version cannot run the resource type artifact yet'],
    ],
    ['what runs', own(''), '', []],
    ['the type git', pointingTo('svc://git'), '    url = "https://git.example/a.git"\n    name = "a"\n', []],
  ])('%s', (_what, definition, params, refusals) => {
    expect(refused(withFetched(params), { [URL_OF_TYPE]: definition })).toEqual(refusals);
  });

  test('the type trigger, which goes on as such', () => {
    const sources = sourcesOf({ [URL_OF_TYPE]: pointingTo('svc://trigger') });
    const { pipeline, notYetRun } = compileText(engine, withFetched(), {}, { sources });
    expect(notYetRun).toBeUndefined();
    expect(pipeline?.resourceTypes.map(isTriggerStream)).toEqual([true]);
  });
});

describe('the operator does', () => {
  test.each<[what: string, text: string]>([
    ['groups of jobs', job(`  for_each = toset(["x", "y"])\n  ${TASK}`)],
    ['matrices', job(`  matrix {\n    x = ["1", "2"]\n  }\n  ${TASK}`)],
    [
      'secrets of the team’s namespace',
      'variable "x" {\n  type = string\n  secret "kubernetes" {\n    path = "a"\n    key  = "b"\n  }\n}\n',
    ],
    [
      'runners of the pipeline',
      `runner_type "r" {\n  run {\n    path = "x"\n    args = ["$WORKDIR", "$args"]\n  }\n}\n${job('  task "t" {\n    run "r" {}\n  }')}`,
    ],
    ['hooks of new versions', job(`  ${TASK}\n  on_trigger "exec" {\n    path = "x"\n  }`)],
    [
      'notifications of new versions',
      CHAT + job(`  ${TASK}\n  on_trigger {\n    notify "slack" "s" {\n      message = "queued"\n    }\n  }`),
    ],
    ['gates', job(`  approve "x" {\n    timeout = "1h"\n  }\n  ${TASK}`)],
    ['versions one by one', CRON + job('  get "cron" "c" {\n    version = "every"\n  }')],
    [
      'rules of when builds run',
      job(
        `  concurrency = 2\n  serial_groups = ["a"]\n  interruptible = true\n  allow_failure = true\n  disable_retry = true\n  ${TASK}`,
      ),
    ],
    ['tags', `resource "cron" "c" {\n  tags = ["x"]\n}\n${job(`  tags = ["x"]\n  ${TASK}`)}`],
    [
      'a rarer pace where webhooks work',
      'resource "git" "g" {\n  check_interval   = "@every 1m"\n  webhook_interval = "@every 1h"\n  params {\n    url  = "https://git.example/a.git"\n    name = "a"\n  }\n}\n',
    ],
    [
      'triggers between pipelines, under another name too',
      `resource_type "t" {\n  source = "svc://trigger"\n}\nresource "t" "x" {}\n${job('  put "t" "x" {\n    tag = "1"\n  }')}`,
    ],
    [
      'functions and lists',
      `variable "x" {\n  type = list(string)\n  default = ["a"]\n}\n${job('  task "t" {\n    run "shell" {\n      cmd = join(",", var.x)\n    }\n  }')}`,
    ],
  ])('%s', (_what, text) => expect(refused(text)).toEqual([]));
});
