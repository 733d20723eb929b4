import { expect, test } from '@jest/globals';
import { parseFields } from './parse-fields.ts';

test.each([
  ['', { fields: {} }],
  ['tag=v1.2.3', { fields: { tag: 'v1.2.3' } }],
  ['tag = v1 \r\n\r\nurl=https://a/?b=c', { fields: { tag: 'v1', url: 'https://a/?b=c' } }],
  ['empty=', { fields: { empty: '' } }],
  ['tag', { problem: '"tag" is not of the form name=value.' }],
  ['=v1', { problem: '"=v1" is not of the form name=value.' }],
  ['tag=1\ntag=2', { problem: 'The field "tag" is given twice. Remove one.' }],
  ['__proto__=1', { fields: Object.fromEntries([['__proto__', '1']]) }],
])('%j is read as %j', (text, expected) => {
  expect(parseFields(text)).toEqual(expected);
});
