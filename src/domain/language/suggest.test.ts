import { expect, test } from '@jest/globals';
import { closest, didYouMean } from './suggest.ts';

const words = ['get', 'put', 'task', 'trigger', 'passed', 'params', 'check_interval'];

test.each([
  ['triger', 'trigger'],
  ['tirgger', 'trigger'],
  ['TRIGGER', 'trigger'],
  ['tsk', 'task'],
  ['taks', 'task'],
  ['gte', 'get'],
  ['param', 'params'],
  ['checkinterval', 'check_interval'],
  ['chek_intervall', 'check_interval'],
  ['x', undefined],
  ['set', 'get'],
  ['locals', undefined],
  ['', undefined],
  ['t'.repeat(10_000), undefined],
])('%j was probably meant to be %j', (name, meant) => {
  expect(closest(name, words)).toBe(meant);
});

test('the first of the equally near ones is named', () => {
  expect(didYouMean('cat', ['car', 'cut'])).toBe('; did you mean "car"?');
  expect(didYouMean('zebra', ['car', 'cut'])).toBe('');
});
