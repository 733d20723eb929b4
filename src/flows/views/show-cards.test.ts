import { describe, expect, test } from '@jest/globals';
import type { CardRow, CardStore, CardTeam } from './card-ports.ts';
import { MAX_CARDS, showCards } from './show-cards.ts';

function row(team: string, name: string, more: Partial<CardRow> = {}): CardRow {
  const outcomes = { succeeded: 0, failed: 0, cancelled: 0, warning: 0 };
  return {
    id: 1,
    team,
    name,
    public: false,
    paused: false,
    jobs: 1,
    pausedJobs: 0,
    outcomes,
    running: 0,
    waiting: 0,
    ...more,
  };
}

/** A store in memory that records the teams of each read. */
function setUp(rows: CardRow[], teams: CardTeam[] = []) {
  const reads: string[][] = [];
  const store: CardStore = {
    cardTeams: async () => teams,
    async cardRows(names, limit, ids) {
      reads.push([...names]);
      const found = rows.filter(({ team, id }) => names.includes(team) && (ids?.includes(id) ?? true));
      return found.slice(0, limit);
    },
  };
  const clock = { now: 0 };
  return { reads, clock, cards: showCards({ store, now: () => clock.now }) };
}

test('the cards of several teams take one read, and viewers share it for a second', async () => {
  const { cards, clock, reads } = setUp([row('a', 'one'), row('b', 'two'), row('c', 'three')]);
  const both = await Promise.all([cards.recentOfTeams(['a', 'b']), cards.recentOfTeams(['a', 'b'])]);
  expect(both.map((list) => list.map(({ name }) => name))).toEqual([
    ['one', 'two'],
    ['one', 'two'],
  ]);
  const more = await cards.recentOfTeams(['a', 'b', 'c', 'none']);
  expect(more.map(({ name }) => name)).toEqual(['one', 'two', 'three']);
  clock.now = 1001;
  await cards.recentOfTeams(['c']);
  expect(reads).toEqual([['a', 'b'], ['c', 'none'], ['c']]);
});

test('the cards of changed pipelines are read again', async () => {
  const { cards, reads } = setUp([row('a', 'one'), row('a', 'two', { id: 2 }), row('b', 'three')]);
  await cards.recentOfTeams(['a']);
  const changed = await cards.ofPipelines([2, 3], ['a']);
  expect([changed.map(({ name }) => name), reads.length]).toEqual([['two'], 2]);
});

test('only a failed pipeline names what failed, with the number of failed jobs', async () => {
  const failure = { job: 'unit', number: '7', at: '2026-11-26T10:00:00.000Z' };
  const outcomes = { succeeded: 1, failed: 3, cancelled: 0, warning: 0 };
  const { cards } = setUp([
    row('a', 'broken', { jobs: 4, outcomes, failure }),
    row('a', 'held', { jobs: 4, outcomes, failure, paused: true }),
  ]);
  const found = await cards.ofTeams(['a']);
  expect(found.map((card) => [card.status, card.failure])).toEqual([
    ['failed', { ...failure, jobs: 3 }],
    ['paused', undefined],
  ]);
});

describe('an overview shows the pipelines', () => {
  const cases: Record<string, [pipelines: number[], shown: boolean[]]> = {
    'of all teams if they fit': [
      [10, 0, MAX_CARDS - 10],
      [true, true, true],
    ],
    'of no team beyond the limit': [
      [10, MAX_CARDS, 1],
      [true, false, false],
    ],
    'of the first team in any case': [
      [MAX_CARDS + 1, 1],
      [true, false],
    ],
  };
  test.each(Object.entries(cases))('%s', async (_name, [pipelines, shown]) => {
    const teams = pipelines.map((count, index) => ({ name: `team-${index}`, pipelines: count }));
    const found = await setUp([], teams).cards.teams('all');
    expect(found.map((team) => team.shown)).toEqual(shown);
  });
});
