import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { describeAnswer, signatureOf } from './call-webhook.ts';

test('a call has the signature that the server expects', async () => {
  const expected = createHmac('sha256', 'sécret').update('{"a":1}').digest('hex');
  expect(await signatureOf('{"a":1}', 'sécret')).toBe(expected);
});

test.each([
  [202, undefined, '202: the server accepted the call and requested a check.'],
  [
    404,
    'A resource with this webhook token does not exist.',
    '404: A resource with this webhook token does not exist.',
  ],
  [502, undefined, '502: the server refused the call.'],
])('the answer %s with %j is %j', (status, detail, words) => {
  expect(describeAnswer(status, detail)).toBe(words);
});
