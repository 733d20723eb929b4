import { describe, expect, test } from '@jest/globals';
import {
  allCards,
  changedCards,
  isComplete,
  NO_OVERVIEW,
  withChanges,
  withTeam,
  withTeams,
  type OverviewEvents,
} from './overview-state.ts';

type Sent = OverviewEvents['team']['pipelines'][number];
const sent = (id: number, more: Partial<Sent> = {}): Sent => ({
  id,
  team: 'a',
  name: `p${id}`,
  public: false,
  status: 'succeeded',
  running: 0,
  ...more,
});
const SENT_TEAMS = {
  teams: [
    { name: 'a', display_name: 'Team A', pipelines: 2, shown: true, role: 'write', may_create: false },
    { name: 'b', pipelines: 9000, shown: false, may_create: true },
  ],
};
const TEAMS = withTeams(NO_OVERVIEW, SENT_TEAMS);
const STATE = withTeam(TEAMS, { team: 'a', pipelines: [sent(1), sent(2)] });
const ids = (state: typeof STATE): number[] => allCards(state).map(({ id }) => id);

describe('the state of an overview', () => {
  test('is complete once the pipelines of each shown team have arrived', () => {
    expect([NO_OVERVIEW, TEAMS, STATE].map(isComplete)).toEqual([false, false, true]);
    expect(STATE.teams[0]).toEqual({
      name: 'a',
      displayName: 'Team A',
      pipelines: 2,
      shown: true,
      role: 'write',
      mayCreate: false,
    });
  });

  test('replaces changed pipelines in place, adds new ones at the end and removes deleted ones', () => {
    const failure = { job: 'unit', build: '7', at: '2026-11-26T10:00:00.000Z', jobs: 2 };
    const after = withChanges(STATE, {
      team: 'a',
      pipelines: [sent(3), sent(1, { status: 'failed', failure, latest: failure, display_name: 'One' })],
      removed: [2],
    });
    expect(ids(after)).toEqual([1, 3]);
    expect(allCards(after)[0]).toMatchObject({
      displayName: 'One',
      status: 'failed',
      failure: { job: 'unit', number: '7', jobs: 2 },
      newest: { job: 'unit', number: '7' },
    });
    expect(changedCards(STATE, after)).toEqual([1]);
  });

  test('is replaced team by team after the stream was interrupted', () => {
    const again = withTeams(STATE, SENT_TEAMS);
    expect([isComplete(again), ids(again)]).toEqual([true, [1, 2]]);
    expect(ids(withTeam(again, { team: 'a', pipelines: [sent(2)] }))).toEqual([2]);
  });
});
