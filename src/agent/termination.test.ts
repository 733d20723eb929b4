import { describe, expect, test } from '@jest/globals';
import { parseTermination } from '#domain/build/parse-termination.ts';
import type { TerminationMessage } from '#domain/build/events.ts';
import { encodeTermination } from './termination.ts';

const words: TerminationMessage = {
  format: 1,
  outcome: 'failed',
  reason: 'StepFailed',
  message: 'Step unit: exit code 1.',
  exits: { '0': 0, '1': null },
  acknowledged: 7,
};

describe('last words', () => {
  test('are read as they were written', () => {
    expect(parseTermination(encodeTermination(words))).toEqual(words);
  });

  test.each(['x', 'ä', '"', '🗝'])('a long sentence of %j is cut, the rest stays', (letter) => {
    const text = encodeTermination({ ...words, message: letter.repeat(5000) });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
    const read = parseTermination(text);
    expect(read).toMatchObject({ exits: words.exits, acknowledged: 7 });
    expect(read?.message.length).toBeGreaterThan(500);
  });

  test('the exits of very many steps are given up rather than cut: nothing is proven then', () => {
    const exits = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [String(index), 0]));
    const text = encodeTermination({ ...words, outcome: 'succeeded', reason: 'AllStepsSucceeded', exits });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
    expect(parseTermination(text)).toMatchObject({ outcome: 'succeeded', exits: {} });
  });
});
