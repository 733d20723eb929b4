import { expect, test } from '@jest/globals';
import { assert, property, string } from 'fast-check';
import { parseSecretOutput } from './parse-secret-output.ts';

test.each<[title: string, output: string, expected: object]>([
  ['a member of the last line', 'looking\n{"token": "hunter2", "other": "x"}\n\n', { value: 'hunter2' }],
  ['an empty text', '{"token": ""}', { value: '' }],
  ['a number', '{"token": 12}', { value: '12' }],
  ['a boolean', '{"token": true}', { value: 'true' }],
  ['no output', '  \n', { fault: 'its get printed nothing' }],
  ['a line that is not JSON', 'hunter2', { fault: 'the last line of its get is not a JSON object' }],
  ['a list', '["hunter2"]', { fault: 'the last line of its get is not a JSON object' }],
  ['an object without the member', '{"other": "x"}', { fault: 'its get printed no member token' }],
  ['a member of the prototype', '{}', { fault: 'its get printed no member token' }],
  ['null', '{"token": null}', { fault: 'its get printed no member token' }],
  [
    'an object inside',
    '{"token": {}}',
    { fault: 'the member token of its get is an object or a list, not a string' },
  ],
])('the output of a get: %s', (_title, output, expected) => {
  expect(parseSecretOutput(output, 'token')).toEqual(expected);
});

test('the value in the output of a get can be any text', () => {
  assert(
    property(string({ unit: 'binary' }), string({ unit: 'grapheme' }), (value, key) => {
      const line = JSON.stringify(Object.fromEntries([[key, value]]));
      if (key === '__proto__') return;
      expect(parseSecretOutput(`noise\n${line}\n`, key)).toEqual({ value });
    }),
  );
});

test('a fault quotes nothing of the output', () => {
  for (const output of ['hunter2', '["hunter2"]', '{"x": "hunter2"}', '{"token": {"x": "hunter2"}}'])
    expect(JSON.stringify(parseSecretOutput(output, 'token'))).not.toContain('hunter2');
});
