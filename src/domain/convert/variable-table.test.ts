import { expect, test } from '@jest/globals';
import { parseReference, REFERENCE } from './variable-table.ts';

test.each([
  ['name', { source: undefined, path: 'name', fields: [] }],
  ['a.b.c', { source: undefined, path: 'a', fields: ['b', 'c'] }],
  ['vault:team/app.token', { source: 'vault', path: 'team/app', fields: ['token'] }],
  ['.:local.field', { source: '.', path: 'local', fields: ['field'] }],
  ['"a.b".c', { source: undefined, path: 'a.b', fields: ['c'] }],
  ['source:"a:b"."c.d"', { source: 'source', path: 'a:b', fields: ['c.d'] }],
])('((%s)) is %j', (text, reference) => {
  expect(parseReference(text)).toEqual(reference);
});

test('a reference has letters, digits and few other characters', () => {
  const text = '((a)) ((b ((c)) (d) ((e\n)) ((größe/x."y"@1)) ((source:f-g_h))';
  const references = [...text.matchAll(REFERENCE)].map(([reference]) => reference);
  expect(references).toEqual(['((a))', '((c))', '((größe/x."y"@1))', '((source:f-g_h))']);
});

test.each(['$((n + 1))', '$((n+1))', '$(( n ))', '((i=0; i<3; i++))', '$((n*2))', '$((a%b))', '$((a?b:c))'])(
  '%s is arithmetic of the shell, not a reference',
  (text) => expect([...text.matchAll(REFERENCE)]).toEqual([]),
);
