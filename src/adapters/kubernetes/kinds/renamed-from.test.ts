import { expect, test } from '@jest/globals';
import { renamedFromOf, renamedFromText } from './renamed-from.ts';

const annotation = (value: string) => ({ 'millrace.dev/renamed-from': value });

test.each<[string, Record<string, string> | undefined, ReturnType<typeof renamedFromOf>]>([
  ['nothing of an object without annotations', undefined, undefined],
  ['nothing of one without this annotation', { other: 'a/b/c' }, undefined],
  ['name, uid and key', annotation('app.one/1-2/3-4'), { name: 'app.one', uid: '1-2', key: '3-4' }],
  ['what is there of one that lacks parts', annotation('app'), { name: 'app', uid: '', key: '' }],
  ['no key of one that is empty', annotation(''), { name: '', uid: '', key: '' }],
  [
    'a key that nobody was given of one with more parts',
    annotation('a/b/c/d'),
    { name: 'a', uid: 'b', key: 'c/d' },
  ],
])('reads %s', (_, annotations, expected) => {
  expect(renamedFromOf(annotations)).toEqual(expected);
});

test('what is written is read again', () => {
  const from = { name: 'app', uid: 'uid-1', key: 'key-1' };
  expect(renamedFromOf(annotation(renamedFromText(from)))).toEqual(from);
});
