import { expect, test } from '@jest/globals';
import { createTeam, deleteTeam } from '#flows/people/change-team.ts';
import type { TeamView } from '#flows/people/ports.ts';
import { deletePipeline, waitForVerdict } from './change-pipeline.ts';
import type { PipelineObject } from './object-ports.ts';

const WRITTEN: PipelineObject = {
  namespace: 'main',
  name: 'app',
  uid: 'one',
  generation: 2,
  spec: { config: 'text' },
  others: [],
  deleting: false,
};
const TEAM: TeamView = {
  name: 'main',
  members: 0,
  pipelines: 0,
  groups: [],
  byApi: true,
  debug: false,
  byManifest: [],
};
const ACT = { by: 'ann', at: new Date(0) };
const refuse = async (): Promise<never> => await Promise.reject(new Error('not expected'));

/** Ports of an API server that takes this long for each read, and of an operator that never works. */
function slowPorts(readMs: number) {
  let at = 0;
  const answer = async <T>(value: T): Promise<T> => {
    at += readMs;
    return value;
  };
  const done = async <T>(value: T) => await answer({ answer: 'done', value } as const);
  const objects = { create: refuse, replace: refuse, remove: async () => await done(undefined) };
  const members = { namespaceOf: async () => 'main', withTeam: refuse };
  return {
    elapsed: () => at,
    wait: async (milliseconds: number) => void (at += milliseconds),
    compiler: { compile: refuse },
    pipelines: { ...objects, read: async () => await done(WRITTEN) },
    teams: {
      ...objects,
      create: async () => await done(undefined),
      read: async () => await done({ deleting: false }),
    },
    members: { ...members, team: async () => await answer<TeamView | undefined>(TEAM) },
    noMembers: { ...members, team: async () => await answer<TeamView | undefined>(undefined) },
  };
}

type SlowPorts = ReturnType<typeof slowPorts>;
const requests: Record<string, (ports: SlowPorts) => Promise<unknown>> = {
  'a change of a pipeline': async (ports) =>
    await waitForVerdict(WRITTEN, [], { ...ports, objects: ports.pipelines }),
  'the deletion of a pipeline': async (ports) =>
    await deletePipeline({ team: 'main', pipeline: 'app' }, { ...ports, objects: ports.pipelines }),
  'the creation of a team': async (ports) =>
    await createTeam({ name: 'main', displayName: undefined }, ACT, {
      ...ports,
      objects: ports.teams,
      members: ports.noMembers,
    }),
  'the deletion of a team': async (ports) =>
    await deleteTeam('main', ACT, { ...ports, objects: ports.teams }),
};

test.each(Object.entries(requests))(
  '%s waits 8 s for the operator, however slow reads are',
  async (_, request) => {
    for (const readMs of [0, 1000]) {
      const ports = slowPorts(readMs);
      await request(ports);
      // Some reads come before the wait, and one more begins when its time is over.
      expect(ports.elapsed()).toBeGreaterThanOrEqual(8000);
      expect(ports.elapsed()).toBeLessThanOrEqual(8000 + 5 * readMs);
    }
  },
);
