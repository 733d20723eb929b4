import { expect, test } from '@jest/globals';
import { registeredRoutes } from '#testing/http/registered-routes.ts';
import { golden } from '#testing/jest/golden-file.ts';
import type { Route } from './server/route.ts';

const OVERVIEW = `${import.meta.dirname}/testdata/routes.txt`;
const routes = await registeredRoutes();

/** `METHOD path → need → action in the audit log`. */
function lineOf({ method, url, rules }: Route): string {
  const { needs, beforePasswordChange = false, audit } = rules;
  const early = beforePasswordChange ? ', even before the first password is changed' : '';
  return `${method} ${url} → ${needs}${early}${audit === undefined ? '' : ` → ${audit}`}\n`;
}

test('the access rules and audit entries of all routes match the overview', () => {
  const byPath = routes.toSorted((a, b) => compare(a.url, b.url) || compare(a.method, b.method));
  const overview = byPath.map(lineOf).join('');
  expect(overview).toBe(golden(OVERVIEW, overview));
});

test('no two routes have the same method and path', () => {
  const names = routes.map(({ method, url }) => `${method} ${url}`);
  expect(new Set(names).size).toBe(names.length);
});

test('every route has a one-sentence description', () => {
  expect(routes.filter(({ rules }) => !/^[A-Z].*\.$/.test(rules.about)).map(({ url }) => url)).toEqual([]);
});

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
