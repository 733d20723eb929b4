import { expect, test } from '@jest/globals';
import { parseReference, REFERENCE } from './variable-table.ts';

test.each([
  ['name', { source: undefined, path: 'name', fields: [] }],
  [' name ', { source: undefined, path: 'name', fields: [] }],
  ['a.b.c', { source: undefined, path: 'a', fields: ['b', 'c'] }],
  ['vault:team/app.token', { source: 'vault', path: 'team/app', fields: ['token'] }],
  ['.:local.field', { source: '.', path: 'local', fields: ['field'] }],
  ['"a.b".c', { source: undefined, path: 'a.b', fields: ['c'] }],
  ['source:"a:b"."c.d"', { source: 'source', path: 'a:b', fields: ['c.d'] }],
])('((%s)) is %j', (text, reference) => {
  expect(parseReference(text)).toEqual(reference);
});

test('a reference has no brackets in it and ends on its line', () => {
  const references = [...'((a)) ((b ((c)) (d) ((e\n))'.matchAll(REFERENCE)].map(([text]) => text);
  expect(references).toEqual(['((a))', '((c))']);
});
