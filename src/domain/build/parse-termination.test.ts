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

describe('an agent’s last words', () => {
  test.each([
    ['of an older agent', words],
    ['with all that they can hold', whole],
  ])('%s are read', (_, said) => {
    expect(parseTermination(JSON.stringify(said))).toEqual(said);
  });

  test.each<[string, object]>([
    ['of another format', { ...whole, format: 2 }],
    ['with an outcome that does not exist', { ...whole, outcome: 'fine' }],
    ['without exits', { ...whole, exits: undefined }],
    ['with an exit that is no number', { ...whole, exits: { '0': 'one' } }],
    ['with a status that does not exist', { ...whole, statuses: { '0': 'succeeded' } }],
    ['with a version that is none', { ...whole, versions: { '1': ['a'] } }],
    ['with a field that is no text', { ...whole, versions: { '1': { ref: 1 } } }],
  ])('%s are nobody’s', (_, said) => {
    expect(parseTermination(JSON.stringify(said))).toBeUndefined();
  });

  test.each([undefined, '', 'Killed', JSON.stringify(whole).slice(0, -1)])('%j are none', (text) => {
    expect(parseTermination(text)).toBeUndefined();
  });
});
