import { expect, test } from '@jest/globals';
import { parseId } from './client-options.ts';

test('an id is a whole number in decimal digits', () => expect(parseId('41')).toBe(41));

test.each(['0', '-1', '01', '0x10', '1e3', ' 5', '5 ', '1.0', '', '9007199254740993'])(
  'an id cannot be %j',
  (text) => expect(() => parseId(text)).toThrow('Write the id as a whole number'),
);
