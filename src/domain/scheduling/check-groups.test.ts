import { describe, expect, test } from '@jest/globals';
import type { Pipeline, Resource, ResourceType } from '#domain/pipeline/pipeline.ts';
import { checkGroupKey, checkGroups, shortHash } from './check-groups.ts';

const every = (seconds: number): Pick<Resource, 'schedule'> => ({ schedule: { kind: 'every', seconds } });
const cron = (expression: string): Pick<Resource, 'schedule'> => ({ schedule: { kind: 'cron', expression } });

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
const silent: ResourceType = { name: 'cron', builtIn: true, params: [], cache: false };

function resource(type: string, label: string, more: Partial<Resource> = {}): Resource {
  return { name: `${type}.${label}`, type, label, params: {}, tags: [], cache: false, ...more };
}

function groupsOf(...resources: Resource[]): Record<string, string[]> {
  const pipeline: Pipeline = { resourceTypes: [shell, image, cached, silent], resources, jobs: [] };
  return Object.fromEntries(checkGroups(pipeline).map((group) => [group.key, group.resources]));
}

describe('resources share a check Pod', () => {
  test.each<[string, Resource[], string[][]]>([
    [
      'when schedule, tags and image are the same',
      [resource('git', 'a', every(30)), resource('git', 'b', every(30))],
      [['git.a', 'git.b']],
    ],
    [
      'not when their schedules differ',
      [resource('git', 'a', every(30)), resource('git', 'b', every(60)), resource('git', 'c')],
      [['git.a'], ['git.b'], ['git.c']],
    ],
    [
      'not when their images differ',
      [resource('git', 'a', every(30)), resource('registry', 'b', every(30))],
      [['git.a'], ['registry.b']],
    ],
    [
      'not when their tags differ, whose order means nothing',
      [
        resource('git', 'a', { tags: ['gpu', 'arm'] }),
        resource('git', 'b', { tags: ['arm', 'gpu'] }),
        resource('git', 'c', { tags: ['arm'] }),
      ],
      [['git.a', 'git.b'], ['git.c']],
    ],
    [
      'not when webhooks change the pace of one',
      [
        resource('git', 'a', { ...cron('5 * * * *'), webhookSchedule: { kind: 'every', seconds: 3600 } }),
        resource('git', 'b', cron('5 * * * *')),
      ],
      [['git.a'], ['git.b']],
    ],
    [
      'never when one has a cache',
      [resource('mirror', 'a'), resource('mirror', 'b'), resource('registry', 'c', { cache: true })],
      [['mirror.a'], ['mirror.b'], ['registry.c']],
    ],
    [
      'though they have a cache, when their type is built in and its check mounts none',
      [resource('git', 'a', { cache: true }), resource('git', 'b')],
      [['git.a', 'git.b']],
    ],
    [
      'when their cron expressions differ in blanks only',
      [resource('git', 'a', cron('5  * * * *')), resource('git', 'b', cron('5 * * * *'))],
      [['git.a', 'git.b']],
    ],
    ['not at all when their type runs nothing', [resource('cron', 'a', every(30))], []],
  ])('%s', (_, resources, expected) => {
    expect(Object.values(groupsOf(...resources))).toEqual(expected);
  });
});

test('the key of a group is readable, and that of its resources', () => {
  expect(Object.keys(groupsOf(resource('git', 'a', every(30)), resource('git', 'b')))).toEqual([
    'every-30s',
    'on-request',
  ]);
  expect(checkGroupKey(resource('git', 'a', cron('@hourly')), shell)).toBe(`cron-${shortHash('@hourly')}`);
  expect(checkGroupKey(resource('cron', 'a', every(30)), silent)).toBeUndefined();
});

test('at most ten groups of a pipeline have a CronJob; the operator times the others', () => {
  const resources = Array.from({ length: 12 }, (_, minute) =>
    resource('git', `r${minute}`, cron(`${minute} * * * *`)),
  );
  const pipeline: Pipeline = { resourceTypes: [shell], resources, jobs: [] };
  const timed = checkGroups(pipeline).filter((group) => group.timedByOperator);
  expect(timed.map((group) => group.resources)).toEqual([['git.r10'], ['git.r11']]);
});
