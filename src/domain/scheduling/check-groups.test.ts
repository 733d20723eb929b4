import { describe, expect, test } from '@jest/globals';
import { defined } from '#defined';
import type { Pipeline, Resource, ResourceType } from '#domain/pipeline/pipeline.ts';
import { checkGroupKey, checkGroups, shortHash } from './check-groups.ts';

const every = (seconds: number): Pick<Resource, 'schedule'> => ({ schedule: { kind: 'every', seconds } });
const cron = (expression: string, timeZone?: string): Pick<Resource, 'schedule'> => ({
  schedule: { kind: 'cron', expression, ...defined({ timeZone }) },
});

const shell: ResourceType = {
  name: 'git',
  builtIn: true,
  params: [],
  cache: false,
  check: { runner: 'shell', cmd: 'true' },
};
const image: ResourceType = {
  name: 'registry',
  builtIn: false,
  params: [],
  cache: false,
  check: { runner: 'docker', image: 'localhost/skopeo:1', cmd: 'true' },
};
const cached: ResourceType = { ...shell, name: 'mirror', builtIn: false, cache: true };
const fs: ResourceType = { ...shell, name: 'fs', origin: { source: 'svc://fs' } };
const silent: ResourceType = { name: 'cron', builtIn: true, params: [], cache: false };

function resource(type: string, label: string, more: Partial<Resource> = {}): Resource {
  return { name: `${type}.${label}`, type, label, params: {}, tags: [], cache: false, ...more };
}

function groupsOf(...resources: Resource[]): Record<string, string[]> {
  const pipeline: Pipeline = { resourceTypes: [shell, image, cached, fs, silent], resources, jobs: [] };
  return Object.fromEntries(checkGroups(pipeline).map((group) => [group.key, group.resources]));
}

describe('check groups', () => {
  test.each<[string, Resource[], string[][]]>([
    [
      'resources with the same expression in two time zones have a check Pod each',
      [resource('git', 'a', cron('0 9 * * *', 'Europe/Berlin')), resource('git', 'b', cron('0 9 * * *'))],
      [['git.a'], ['git.b']],
    ],
    [
      'resources with the same schedule, tags and image share a check Pod',
      [resource('git', 'a', every(30)), resource('git', 'b', every(30))],
      [['git.a', 'git.b']],
    ],
    [
      'resources with different schedules have separate check Pods',
      [resource('git', 'a', every(30)), resource('git', 'b', every(60)), resource('git', 'c')],
      [['git.a'], ['git.b'], ['git.c']],
    ],
    [
      'resources with different images have separate check Pods',
      [resource('git', 'a', every(30)), resource('registry', 'b', every(30))],
      [['git.a'], ['registry.b']],
    ],
    [
      'resources with different tags have separate check Pods; the order of tags does not matter',
      [
        resource('git', 'a', { tags: ['gpu', 'arm'] }),
        resource('git', 'b', { tags: ['arm', 'gpu'] }),
        resource('git', 'c', { tags: ['arm'] }),
      ],
      [['git.a', 'git.b'], ['git.c']],
    ],
    [
      'each resource on a volume of the Team has its own check Pod',
      [resource('fs', 'a', every(30)), resource('fs', 'b', every(30)), resource('git', 'c', every(30))].map(
        (onVolume) => ({ ...onVolume, params: { path: '/srv/data' } }),
      ),
      [['fs.a'], ['fs.b'], ['git.c']],
    ],
    [
      'a resource with a schedule for working webhooks has its own check Pod',
      [
        resource('git', 'a', { ...cron('5 * * * *'), webhookSchedule: { kind: 'every', seconds: 3600 } }),
        resource('git', 'b', cron('5 * * * *')),
      ],
      [['git.a'], ['git.b']],
    ],
    [
      'resources with a cache do not share a check Pod',
      [resource('mirror', 'a'), resource('mirror', 'b'), resource('registry', 'c', { cache: true })],
      [['mirror.a'], ['mirror.b'], ['registry.c']],
    ],
    [
      'resources of a built-in type share a check Pod even if they have a cache, since its check mounts none',
      [resource('git', 'a', { cache: true }), resource('git', 'b')],
      [['git.a', 'git.b']],
    ],
    [
      'resources whose cron expressions differ only in blanks share a check Pod',
      [resource('git', 'a', cron('5  * * * *')), resource('git', 'b', cron('5 * * * *'))],
      [['git.a', 'git.b']],
    ],
    ['a resource whose type runs nothing has no check Pod', [resource('cron', 'a', every(30))], []],
  ])('%s', (_, resources, expected) => {
    expect(Object.values(groupsOf(...resources))).toEqual(expected);
  });
});

test('the keys of a group and of its resources are readable', () => {
  expect(Object.keys(groupsOf(resource('git', 'a', every(30)), resource('git', 'b')))).toEqual([
    'every-30s',
    'on-request',
  ]);
  expect(checkGroupKey(resource('git', 'a', cron('@hourly')), shell)).toBe(`cron-${shortHash('@hourly')}`);
  expect(checkGroupKey(resource('cron', 'a', every(30)), silent)).toBeUndefined();
});

test('at most ten groups of a pipeline have a CronJob, and the operator starts the checks of the others', () => {
  const resources = Array.from({ length: 12 }, (_, minute) =>
    resource('git', `r${minute}`, cron(`${minute} * * * *`)),
  );
  const pipeline: Pipeline = { resourceTypes: [shell], resources, jobs: [] };
  const timed = checkGroups(pipeline).filter((group) => group.timedByOperator);
  expect(timed.map((group) => group.resources)).toEqual([['git.r10'], ['git.r11']]);
});
