import { describe, expect, test } from '@jest/globals';
import { followRename, type FollowRenamePorts } from './follow-rename.ts';
import type { PipelineManifest } from './manifest-ports.ts';

const manifest: PipelineManifest = { team: 'blue', pipeline: 'new', namespace: 'team-blue', uid: 'uid-2' };
const annotated: PipelineManifest = {
  ...manifest,
  renamedFrom: { name: 'old', uid: 'uid-1', key: 'key-1' },
};

interface World {
  renamedTo?: string;
  state?: Awaited<ReturnType<FollowRenamePorts['store']['renameState']>>;
  old?: Awaited<ReturnType<FollowRenamePorts['cluster']['compareRenamed']>>;
  completed?: Awaited<ReturnType<FollowRenamePorts['store']['completeRename']>>;
}

function ports({
  renamedTo,
  state = 'requested',
  old = 'same',
  completed = { answer: 'done', id: 1 },
}: World) {
  const calls: string[] = [];
  const all: FollowRenamePorts = {
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
  return { all, calls };
}

const TAKES = ['old is new'];
const refused = (why: string): object => ({
  outcome: 'renaming',
  reason: 'RenameRefused',
  message: expect.stringContaining(why),
});

describe('an object', () => {
  test.each<[string, PipelineManifest, World, [object | undefined, ...string[]]]>([
    ['an object that names no other is applied', manifest, { state: 'not-requested' }, [undefined]],
    [
      'an object whose pipeline has another one by now is removed',
      manifest,
      { renamedTo: 'newer' },
      [{ outcome: 'renamed', to: 'newer' }, 'remove new'],
    ],
    [
      'an object whose pipeline has another one by now is removed, whatever it is called',
      annotated,
      { renamedTo: 'newer' },
      [{ outcome: 'renamed', to: 'newer' }, 'remove new'],
    ],
    ['an object that is allowed takes the name and is applied', annotated, {}, [undefined, ...TAKES]],
    [
      'an object that is allowed takes the name even if the other object has gone',
      annotated,
      { old: 'gone' },
      [undefined, ...TAKES],
    ],
    [
      'an object that has taken the name is applied',
      annotated,
      { state: 'done', old: 'changed' },
      [undefined],
    ],
    [
      'an object with a pipeline of its own stays with it',
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
        ...TAKES,
      ],
    ],
    [
      'an object that nobody requested takes nothing',
      annotated,
      { state: 'not-requested' },
      [refused('is requested')],
    ],
    [
      'an object that lost its permission meanwhile takes nothing',
      annotated,
      { completed: { answer: 'not-requested' } },
      [refused('no longer requested'), ...TAKES],
    ],
    [
      'an object that differs from the other one takes nothing',
      annotated,
      { old: 'changed' },
      [refused('ask again')],
    ],
    [
      'an object that names one of a manifest takes nothing',
      annotated,
      { old: 'managed' },
      [refused('managed by manifest')],
    ],
    [
      'an object whose name has a history takes nothing',
      annotated,
      { completed: { answer: 'history' } },
      [refused('its history'), ...TAKES],
    ],
    [
      'an object whose name another pipeline has takes nothing',
      annotated,
      { completed: { answer: 'taken' } },
      [refused('Another pipeline of blue has this name'), ...TAKES],
    ],
  ])('%s', async (_, object, world, [expected, ...called]) => {
    const { all, calls } = ports(world);
    expect(await followRename(object, all)).toEqual(expected);
    expect(calls).toEqual(called);
  });
});
