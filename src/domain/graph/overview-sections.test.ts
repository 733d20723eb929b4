import { describe, expect, test } from '@jest/globals';
import { chipsOf, isFiltered, overviewPath, sectionsOf, selectCards } from './overview-sections.ts';
import type { CardStatus, PipelineCard } from './pipeline-card.ts';

const card = (team: string, name: string, status: CardStatus = 'succeeded'): PipelineCard => ({
  id: 1,
  team,
  name,
  public: false,
  status,
  running: 0,
});
const team = (name: string, displayName = name) => ({ name, displayName, pipelines: 0, shown: true });
const TEAMS = [team('a', 'Payments'), team('b'), team('c')];

describe('the selected cards', () => {
  const cards = [card('c', 'x'), card('a', 'y'), card('a', 'z', 'failed'), card('gone', 'w')];

  test('are by team, then by urgency', () => {
    const { matching } = selectCards(TEAMS, cards, { text: '' });
    expect(matching.map(({ name }) => name)).toEqual(['z', 'y', 'x']);
  });

  test('match text and status, and the counts only the text', () => {
    const { matching, counts } = selectCards(TEAMS, cards, { text: 'payments', status: 'failed' });
    expect(matching.map(({ name }) => name)).toEqual(['z']);
    expect([...counts]).toEqual([
      ['failed', 1],
      ['succeeded', 1],
    ]);
  });
});

describe('a page', () => {
  const cards = [card('a', '1'), card('a', '2'), card('c', '3')];
  const page = (from: number, to: number, filtered = false): string[] =>
    sectionsOf(TEAMS, cards, { from, to, filtered }).map(
      (section) => `${section.team.name}: ${section.cards.map(({ name }) => name).join(' ')}`,
    );

  test.each<[string, [number, number, boolean?], string[]]>([
    ['has all teams', [0, 100], ['a: 1 2', 'b: ', 'c: 3']],
    ['has no empty teams if there is a filter', [0, 100, true], ['a: 1 2', 'c: 3']],
    ['ends within a team', [0, 1], ['a: 1']],
    ['begins within a team', [1, 100], ['a: 2', 'b: ', 'c: 3']],
    ['has an empty team once: not before its page', [0, 2], ['a: 1 2']],
    ['has an empty team once: on its page', [2, 4], ['b: ', 'c: 3']],
    ['after the last team is empty', [4, 6], []],
  ])('%s', (_name, [from, to, filtered], expected) => {
    expect(page(from, to, filtered)).toEqual(expected);
  });

  test('has all teams if no team has a pipeline', () => {
    expect(sectionsOf(TEAMS, [], { from: 0, to: 100, filtered: false })).toHaveLength(3);
  });
});

test('the path has the filter and the page, if they are set', () => {
  expect([
    overviewPath('/teams', { text: ' ' }),
    overviewPath('/teams', { text: 'a b&c', status: 'idle' }, 2),
    overviewPath('/teams', { text: '', status: 'failed' }),
  ]).toEqual(['/teams', '/teams?q=a%20b%26c&status=idle&page=2', '/teams?status=failed']);
  expect([
    isFiltered({ text: ' ' }),
    isFiltered({ text: 'a' }),
    isFiltered({ text: '', status: 'idle' }),
  ]).toEqual([false, true, true]);
});

test('the chosen status can be chosen even if no card has it', () => {
  const counts = new Map<CardStatus, number>([['running', 2]]);
  expect(chipsOf(counts, 'failed')).toEqual([
    { status: 'failed', count: 0 },
    { status: 'running', count: 2 },
  ]);
});
