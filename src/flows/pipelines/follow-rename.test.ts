import { describe, expect, test } from '@jest/globals';
import { followRename, type FollowRenamePorts } from './follow-rename.ts';
import type { PipelineManifest } from './manifest-ports.ts';

const manifest: PipelineManifest = { team: 'blue', pipeline: 'new', namespace: 'team-blue', uid: 'uid-2' };
const annotated: PipelineManifest = {
  ...manifest,
  renamedFrom: { name: 'old', uid: 'uid-1', key: 'key-1' },
};

interface Situation {
  renamedTo?: string;
  state?: Awaited<ReturnType<FollowRenamePorts['store']['renameState']>>;
  old?: Awaited<ReturnType<FollowRenamePorts['cluster']['compareRenamed']>>;
  completed?: Awaited<ReturnType<FollowRenamePorts['store']['completeRename']>>;
}

function portsOf({
  renamedTo,
  state = 'requested',
  old = 'same',
  completed = { answer: 'done', id: 1 },
}: Situation) {
  const calls: string[] = [];
  const ports: FollowRenamePorts = {
    now: () => new Date(0),
    store: {
      renamedTo: async () =>
        renamedTo === undefined ? undefined : { pipeline: renamedTo, runningChecks: 0 },
      renameState: async () => state,
      completeRename: async ({ pipeline, renamedFrom }) => {
        calls.push(`${renamedFrom.name} is ${pipeline}`);
        return completed;
      },
    },
    cluster: {
      compareRenamed: async () => old,
      removeObject: async ({ pipeline }) => void calls.push(`remove ${pipeline}`),
    },
  };
  return { ports, calls };
}

const RENAMED = ['old is new'];
const refused = (why: string): object => ({
  outcome: 'renaming',
  reason: 'RenameRefused',
  message: expect.stringContaining(why),
});

describe('an object', () => {
  test.each<[string, PipelineManifest, Situation, [object | undefined, ...string[]]]>([
    ['an object that names no other is applied', manifest, { state: 'not-requested' }, [undefined]],
    [
      'an object whose pipeline was renamed is removed',
      manifest,
      { renamedTo: 'newer' },
      [{ outcome: 'renamed', to: 'newer' }, 'remove new'],
    ],
    [
      'an object whose pipeline was renamed again is removed',
      annotated,
      { renamedTo: 'newer' },
      [{ outcome: 'renamed', to: 'newer' }, 'remove new'],
    ],
    [
      'an object whose rename is requested takes over the pipeline and is applied',
      annotated,
      {},
      [undefined, ...RENAMED],
    ],
    [
      'an object whose rename is requested takes over the pipeline even if the old object is gone',
      annotated,
      { old: 'gone' },
      [undefined, ...RENAMED],
    ],
    [
      'an object that has taken over the pipeline is applied',
      annotated,
      { state: 'done', old: 'changed' },
      [undefined],
    ],
    [
      'an object with its own pipeline is applied and takes over no other',
      annotated,
      { state: 'own', old: 'same' },
      [undefined],
    ],
    [
      'an object that waits for builds is not applied and says so',
      annotated,
      { completed: { answer: 'busy', builds: 2 } },
      [
        { outcome: 'renaming', reason: 'Renaming', message: expect.stringContaining('running builds (2)') },
        ...RENAMED,
      ],
    ],
    [
      'an object whose rename nobody requested takes nothing',
      annotated,
      { state: 'not-requested' },
      [refused('is requested')],
    ],
    [
      'an object whose rename is no longer requested takes nothing',
      annotated,
      { completed: { answer: 'not-requested' } },
      [refused('no longer requested'), ...RENAMED],
    ],
    [
      'an object that differs from the old object takes nothing',
      annotated,
      { old: 'changed' },
      [refused('request the rename again')],
    ],
    [
      'an object that names an object of a manifest takes nothing',
      annotated,
      { old: 'managed' },
      [refused('managed by a manifest')],
    ],
    [
      'an object under whose name a deleted pipeline has its history takes nothing',
      annotated,
      { completed: { answer: 'history' } },
      [refused('its history'), ...RENAMED],
    ],
    [
      'an object whose name another pipeline has takes nothing',
      annotated,
      { completed: { answer: 'taken' } },
      [refused('Another pipeline of blue has this name'), ...RENAMED],
    ],
  ])('%s', async (_, object, situation, [expected, ...called]) => {
    const { ports, calls } = portsOf(situation);
    expect(await followRename(object, ports)).toEqual(expected);
    expect(calls).toEqual(called);
  });
});
