import { describe, expect, test } from '@jest/globals';
import { parseTermination } from './parse-termination.ts';

const words = {
  format: 1,
  outcome: 'failed',
  reason: 'StepFailed',
  message: 'No.',
  exits: { '0': 1 },
  acknowledged: 2,
};
const whole = { ...words, statuses: { '0': 'failed' }, versions: { '1': { ref: 'a' }, '2': {} } };

describe('the termination message of an agent', () => {
  test.each([
    ['an older agent’s message', words],
    ['a message with all fields', whole],
  ])('is read: %s', (_, message) => {
    expect(parseTermination(JSON.stringify(message))).toEqual(message);
  });

  test.each<[string, object]>([
    ['of another format', { ...whole, format: 2 }],
    ['with an unknown outcome', { ...whole, outcome: 'fine' }],
    ['without exits', { ...whole, exits: undefined }],
    ['with an exit that is not a number', { ...whole, exits: { '0': 'one' } }],
    ['with an unknown status', { ...whole, statuses: { '0': 'succeeded' } }],
    ['with an invalid version', { ...whole, versions: { '1': ['a'] } }],
    ['with a field that is not a string', { ...whole, versions: { '1': { ref: 1 } } }],
  ])('is ignored %s', (_, message) => {
    expect(parseTermination(JSON.stringify(message))).toBeUndefined();
  });

  test.each([undefined, '', 'Killed', JSON.stringify(whole).slice(0, -1)])(
    'is ignored if it is %j',
    (text) => {
      expect(parseTermination(text)).toBeUndefined();
    },
  );
});
