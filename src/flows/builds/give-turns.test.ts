import { describe, expect, test } from '@jest/globals';
import type { StartDecision } from '#domain/scheduling/start-queued.ts';
import { expireApprovals, giveTurnsToTeam } from './give-turns.ts';
import type { QueueFacts, TurnStore } from './turn-ports.ts';

const JOB = { id: 1, name: 'unit', pipeline: 7, paused: false, pipelinePaused: false, serialGroups: [] };
const queued = (id: number) => ({ id, job: 1, number: String(id), state: 'queued' as const });

/** A store in which the queue of every team is `facts`. `written` lists the decisions that were written. */
function storeWithQueue(facts: QueueFacts) {
  const written: StartDecision[] = [];
  const builds: Pick<TurnStore, 'withQueue'> = {
    withQueue: async (_team, work) =>
      await work({
        facts: async () => facts,
        write: async (decision) => {
          written.push(decision);
          return [7];
        },
      }),
  };
  return { builds, written };
}

describe('turns of a team', () => {
  const cases: Record<string, [QueueFacts, { builds: number; more: boolean }, number[]]> = {
    'every build that nothing holds back gets a turn': [
      { jobs: [JOB], builds: [queued(3), queued(2)], cut: [] },
      { builds: 2, more: false },
      [2, 3],
    ],
    'turns are decided again if every listed build of a longer queue got one': [
      { jobs: [JOB], builds: [queued(2)], cut: [1] },
      { builds: 1, more: true },
      [2],
    ],
    'turns are not decided again if a build of the longer queue waits': [
      { limit: 1, jobs: [JOB], builds: [queued(2), queued(3)], cut: [1] },
      { builds: 1, more: false },
      [2],
    ],
  };
  test.each(Object.entries(cases))('%s', async (_sentence, [facts, expected, started]) => {
    const { builds, written } = storeWithQueue(facts);
    expect(await giveTurnsToTeam(5, builds, new Date(0))).toEqual({ ...expected, pipelines: [7] });
    expect(written.map(({ start }) => start)).toEqual([started]);
  });
});

/** A build that has waited for its approval since midnight. */
const waitingSinceMidnight = (id: number, pipelineId: number, timeoutSeconds: number) => ({
  id,
  pipelineId,
  gate: { approvals: 1, timeoutSeconds },
  createdAt: new Date('2026-01-01T00:00:00Z'),
});

test('approvals that nobody gave in time expire, those of one pipeline together', async () => {
  const at = new Date('2026-01-01T01:00:00Z');
  const expired: string[] = [];
  const pipelines = await expireApprovals(
    {
      approvalsWithTimeout: async () => [
        waitingSinceMidnight(1, 7, 3600),
        waitingSinceMidnight(2, 8, 3601),
        waitingSinceMidnight(3, 9, 60),
        waitingSinceMidnight(4, 7, 60),
      ],
      expireApprovals: async (pipeline, builds) => void expired.push(`${pipeline}: ${builds.join(' ')}`),
    },
    at,
  );
  expect(pipelines).toEqual([7, 9]);
  expect(expired).toEqual(['7: 1 4', '9: 3']);
});
