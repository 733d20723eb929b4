import { describe, expect, test } from '@jest/globals';
import { parseTermination } from './parse-termination.ts';

const olderMessage = {
  format: 1,
  outcome: 'failed',
  reason: 'StepFailed',
  message: 'No.',
  exits: { '0': 1 },
  acknowledged: 2,
};
const fullMessage = {
  ...olderMessage,
  statuses: { '0': 'failed' },
  versions: { '1': { ref: 'a' }, '2': {} },
};

describe('the termination message of an agent', () => {
  test.each([
    ['an older agent’s message', olderMessage],
    ['a message with all fields', fullMessage],
  ])('is read: %s', (_, message) => {
    expect(parseTermination(JSON.stringify(message))).toEqual(message);
  });

  test.each<[string, object]>([
    ['of another format', { ...fullMessage, format: 2 }],
    ['with an unknown outcome', { ...fullMessage, outcome: 'fine' }],
    ['without exits', { ...fullMessage, exits: undefined }],
    ['with an exit that is not a number', { ...fullMessage, exits: { '0': 'one' } }],
    ['with an unknown status', { ...fullMessage, statuses: { '0': 'succeeded' } }],
    ['with an invalid version', { ...fullMessage, versions: { '1': ['a'] } }],
    ['with a version whose field is not a string', { ...fullMessage, versions: { '1': { ref: 1 } } }],
  ])('is ignored %s', (_, message) => {
    expect(parseTermination(JSON.stringify(message))).toBeUndefined();
  });

  test.each([undefined, '', 'Killed', JSON.stringify(fullMessage).slice(0, -1)])(
    'is ignored if it is %j',
    (text) => {
      expect(parseTermination(text)).toBeUndefined();
    },
  );
});
