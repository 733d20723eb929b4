import { describe, expect, test } from '@jest/globals';
import { countStatuses, matchesText, orderCards } from './order-cards.ts';
import type { CardStatus, PipelineCard } from './pipeline-card.ts';

function card(name: string, status: CardStatus, failedAt?: string): PipelineCard {
  return {
    id: 1,
    team: 'pay',
    name,
    public: false,
    status,
    running: 0,
    ...(failedAt !== undefined && { failure: { job: 'unit', number: '7', jobs: 1, at: failedAt } }),
  };
}

test('cards are in the order of urgency, the newest failure first, then by name', () => {
  const cards = [
    card('green-b', 'succeeded'),
    card('new', 'idle'),
    card('green-a', 'succeeded'),
    card('held', 'paused'),
    card('asks', 'waiting'),
    card('runs-b', 'running'),
    card('runs-a', 'running'),
    card('old-failure', 'failed', '2026-11-25T23:59:59.000Z'),
    card('new-failure', 'failed', '2026-11-26T00:00:00.000Z'),
    card('ended', 'cancelled'),
    card('warns', 'warning'),
  ];
  expect(orderCards(cards).map(({ name }) => name)).toEqual([
    'new-failure',
    'old-failure',
    'runs-a',
    'runs-b',
    'asks',
    'ended',
    'warns',
    'held',
    'green-a',
    'green-b',
    'new',
  ]);
});

describe('a search', () => {
  const shop = { ...card('web-shop', 'idle'), displayName: 'Der Würfelladen' };
  test.each([
    ['', true],
    ['  ', true],
    ['shop', true],
    ['SHOP', true],
    ['würfel', true],
    ['pay', true],
    ['payments', true],
    ['not yet run', true],
    ['shop payments run', true],
    ['shop failed', false],
    ['xshop', false],
  ])('for %j finds the card: %s', (text, found) => {
    expect(matchesText(shop, 'Payments', text)).toBe(found);
  });

  test('does not find a word across two names', () => {
    expect(matchesText(shop, undefined, 'shopder')).toBe(false);
  });
});

test('statuses are counted in the order of urgency', () => {
  const cards = [card('a', 'idle'), card('b', 'failed'), card('c', 'idle')];
  expect([...countStatuses(cards)]).toEqual([
    ['failed', 1],
    ['idle', 2],
  ]);
});
