import { expect, test } from '@jest/globals';
import { renamedFromOf, renamedFromText } from './renamed-from.ts';

const annotation = (value: string) => ({ 'millrace.dev/renamed-from': value });

test.each<[string, Record<string, string> | undefined, ReturnType<typeof renamedFromOf>]>([
  ['nothing from an object without annotations', undefined, undefined],
  ['nothing from an object without this annotation', { other: 'a/b/c' }, undefined],
  [
    'name, uid and key from a complete annotation',
    annotation('app.one/1-2/3-4'),
    { name: 'app.one', uid: '1-2', key: '3-4' },
  ],
  ['the parts that an incomplete annotation has', annotation('app'), { name: 'app', uid: '', key: '' }],
  ['no key from an annotation with an empty key', annotation(''), { name: '', uid: '', key: '' }],
  ['no key from an annotation with extra parts', annotation('a/b/c/d'), { name: 'a', uid: 'b', key: 'c/d' }],
])('the annotation renamed-from: reads %s', (_, annotations, expected) => {
  expect(renamedFromOf(annotations)).toEqual(expected);
});

test('the annotation renamed-from reads back as it was written', () => {
  const from = { name: 'app', uid: 'uid-1', key: 'key-1' };
  expect(renamedFromOf(annotation(renamedFromText(from)))).toEqual(from);
});
