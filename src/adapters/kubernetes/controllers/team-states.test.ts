import { describe, expect, test } from '@jest/globals';
import { TeamMemory } from './team-states.ts';

const BLUE = { name: 'blue', uid: 'u1', generation: 1 };

describe('a Team', () => {
  const histories: Record<string, [act: (memory: TeamMemory) => void, state: string]> = {
    'is unknown at first sight': [() => undefined, 'unknown'],
    'is ready once it is prepared': [(memory) => memory.ready(BLUE), 'ready'],
    'is refused when it cannot be prepared': [(memory) => memory.refused('blue'), 'refused'],
    'is refused although it was ready': [
      (memory) => {
        memory.ready(BLUE);
        memory.refused('blue');
      },
      'refused',
    ],
    'is unknown between being refused and being ready': [
      (memory) => {
        memory.refused('blue');
        memory.accepted('blue');
      },
      'unknown',
    ],
    'is unknown again when it is forgotten': [
      (memory) => {
        memory.ready(BLUE);
        memory.forget('blue');
      },
      'unknown',
    ],
    'has a state of its own': [(memory) => memory.refused('red'), 'unknown'],
  };
  test.each(Object.entries(histories))('%s', (_, [act, state]) => {
    const memory = new TeamMemory();
    act(memory);
    expect(memory.state('blue')).toBe(state);
  });

  test('is announced once for each object and generation, and again after it was refused', () => {
    const memory = new TeamMemory();
    const answers = [BLUE, BLUE, { ...BLUE, generation: 2 }, { ...BLUE, uid: 'u2', generation: 2 }].map(
      (seen) => memory.ready(seen),
    );
    memory.refused('blue');
    expect([...answers, memory.ready({ ...BLUE, uid: 'u2', generation: 2 })]).toEqual([
      'announce',
      'announced',
      'announce',
      'announce',
      'announce',
    ]);
  });
});

test('logs that are as full as before concern no Team, and a first count concerns those that are not fine', () => {
  const memory = new TeamMemory();
  expect(
    memory.logsCounted(
      new Map([
        ['blue', 'near'],
        ['red', 'fine'],
      ]),
    ),
  ).toEqual(['blue']);
  expect(
    memory.logsCounted(
      new Map([
        ['blue', 'near'],
        ['red', 'full'],
      ]),
    ),
  ).toEqual(['red']);
  expect(
    memory.logsCounted(
      new Map([
        ['blue', 'fine'],
        ['red', 'full'],
      ]),
    ),
  ).toEqual(['blue']);
  expect(memory.fillOf('red')).toBe('full');
});
