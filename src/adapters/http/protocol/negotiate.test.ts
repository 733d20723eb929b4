import { expect, test } from '@jest/globals';
import { preferred } from './negotiate.ts';

const CASES: [accept: string | undefined, chosen: string][] = [
  [undefined, 'text/plain'],
  ['*/*', 'text/plain'],
  ['application/json', 'application/json'],
  ['application/json, */*;q=0.1', 'application/json'],
  ['text/*;q=0.5, application/json;q=0.4', 'text/plain'],
  ['text/plain;q=0, application/json;q=0.1', 'application/json'],
  ['image/png', 'text/plain'],
  ['TEXT/PLAIN;Q=0.1, APPLICATION/JSON', 'application/json'],
  [';;;,,q=', 'text/plain'],
];

test.each(CASES)('the Accept header %s prefers %s', (accept, chosen) => {
  expect(preferred(accept, ['text/plain', 'application/json'])).toBe(chosen);
});
