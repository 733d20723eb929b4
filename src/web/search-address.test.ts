import { expect, test } from '@jest/globals';
import { addressOf } from './search-address.ts';

const PAGE = 'https://ci.example.org/teams/main/pipelines/app/resources/git.app';

test.each([
  [PAGE, 'v1', `${PAGE}?text=v1`],
  [`${PAGE}?text=v1&before=7`, ' v2 & more ', `${PAGE}?text=v2+%26+more`],
  [`${PAGE}?text=v1`, '  ', PAGE],
  [`${PAGE}?webhook=shown#webhook`, 'v1', `${PAGE}?text=v1`],
])('on %s, %j is found at %s', (page, text, address) => {
  expect(addressOf(page, text)).toBe(address);
});
