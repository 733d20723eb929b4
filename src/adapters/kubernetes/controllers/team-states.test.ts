import { describe, expect, test } from '@jest/globals';
import { TeamStates } from './team-states.ts';

const BLUE = { name: 'blue', uid: 'u1', generation: 1 };

describe('the state of a Team', () => {
  const histories: Record<string, [act: (states: TeamStates) => void, state: string]> = {
    'is unknown when the Team is first seen': [() => undefined, 'unknown'],
    'is ready after the Team is prepared': [(states) => states.ready(BLUE), 'ready'],
    'is refused when the Team cannot be prepared': [(states) => states.refused('blue'), 'refused'],
    'is refused even if the Team was ready before': [
      (states) => {
        states.ready(BLUE);
        states.refused('blue');
      },
      'refused',
    ],
    'is unknown between refused and ready': [
      (states) => {
        states.refused('blue');
        states.accepted('blue');
      },
      'unknown',
    ],
    'is unknown again after the Team is forgotten': [
      (states) => {
        states.ready(BLUE);
        states.forget('blue');
      },
      'unknown',
    ],
    'is independent of other Teams': [(states) => states.refused('red'), 'unknown'],
  };
  test.each(Object.entries(histories))('%s', (_, [act, state]) => {
    const states = new TeamStates();
    act(states);
    expect(states.state('blue')).toBe(state);
  });

  test('is announced once for each object and generation, and again after a refusal', () => {
    const states = new TeamStates();
    const answers = [BLUE, BLUE, { ...BLUE, generation: 2 }, { ...BLUE, uid: 'u2', generation: 2 }].map(
      (seen) => states.ready(seen),
    );
    states.refused('blue');
    expect([...answers, states.ready({ ...BLUE, uid: 'u2', generation: 2 })]).toEqual([
      'announce',
      'announced',
      'announce',
      'announce',
      'announce',
    ]);
  });
});

test('an unchanged log fill affects no Team, and a first count affects the Teams that are not fine', () => {
  const states = new TeamStates();
  expect(
    states.logsCounted(
      new Map([
        ['blue', 'near'],
        ['red', 'fine'],
      ]),
    ),
  ).toEqual(['blue']);
  expect(
    states.logsCounted(
      new Map([
        ['blue', 'near'],
        ['red', 'full'],
      ]),
    ),
  ).toEqual(['red']);
  expect(
    states.logsCounted(
      new Map([
        ['blue', 'fine'],
        ['red', 'full'],
      ]),
    ),
  ).toEqual(['blue']);
  expect(states.fillOf('red')).toBe('full');
});
