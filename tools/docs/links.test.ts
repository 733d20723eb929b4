import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { anchors, fences, links, pages, ROOT } from './markdown.ts';

/** What is wrong with a relative link; undefined if nothing is. */
function faultOf(page: string, target: string): string | undefined {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), decodeURIComponent(path));
  if (!existsSync(file)) return `${page}: ${target} leads nowhere`;
  if (anchor === undefined || !file.endsWith('.md')) return undefined;
  return anchors(readFileSync(file, 'utf8')).has(anchor) ? undefined : `${page}: ${target} names no heading`;
}

const isRelative = (target: string): boolean => !/^[a-z][a-z0-9+.-]*:/i.test(target);

test('every relative link of every page leads to a file and a heading', () => {
  const faults = pages().flatMap(({ path, text }) =>
    links(text)
      .filter(isRelative)
      .map((target) => faultOf(path, target))
      .filter((linkFault) => linkFault !== undefined),
  );
  expect(faults).toEqual([]);
});

test('every page below docs is reachable from docs/README.md, except the template of ADRs', () => {
  const textByPath = new Map(pages().map(({ path, text }) => [path, text]));
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const target of links(textByPath.get(path) ?? '').filter(isRelative)) {
      const next = join(dirname(path), target.split('#')[0] ?? '');
      if (textByPath.has(next)) visit(next);
    }
  };
  visit('docs/README.md');
  expect([...textByPath.keys()].filter((path) => path.startsWith('docs/') && !reached.has(path))).toEqual([
    'docs/adr/0000-template.md',
  ]);
});

describe('reading Markdown', () => {
  const page = [
    '# One two',
    '[a](b.md#x) `[c](d)`',
    '```sh',
    '# no heading',
    '[e](f)',
    '```',
    '## One: two!',
  ].join('\n');

  test('ignores links in code', () => expect(links(page)).toEqual(['b.md#x']));

  test('ignores headings in code', () => expect([...anchors(page)]).toEqual(['one-two', 'one-two-1']));

  test('gives a fence its language, its text and its line', () => {
    expect(fences(page)).toEqual([{ word: 'sh', attributes: '', text: '# no heading\n[e](f)\n', line: 3 }]);
  });
});
