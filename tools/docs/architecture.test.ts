import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from './markdown.ts';

const PAGE = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

/** The cells of the table that names the flows, without its two head lines. */
const ROWS = PAGE.split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter((cells) => cells.length === 6 && !/^(-+|Data)$/.test(cells[1] ?? ''));

/** Every word of one column, once. */
function column(index: number): string[] {
  const words = ROWS.flatMap((cells) => (cells[index] ?? '').split(', '));
  return [...new Set(words.filter((word) => word !== ''))].toSorted();
}

function helpers(): string[] {
  const sentence = /^Helpers that flows share: (?<names>[^.]*)\.$/m.exec(PAGE);
  return [...(sentence?.groups?.['names'] ?? '').matchAll(/`(?<name>[\w-]+)`/g)].map(([, name = '']) => name);
}

function foldersOf(path: string): string[] {
  return readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

/** Whether a URL in the file ends with the action. */
function hasRoute(file: string, action: string): boolean {
  return new RegExp(`/${action}['\`]`).test(readFileSync(join(ROOT, file), 'utf8'));
}

/** The names of all files below src/flows, without tests and files that have only types or names. */
function flowFiles(): string[] {
  return readdirSync(join(ROOT, 'src/flows'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name.replace(/\.ts$/, ''))
    .filter((name) => !/(\.test|(^|-)ports|^names|^workloads|-transaction)$/.test(name))
    .toSorted();
}

describe('docs/architecture.md', () => {
  test('names every file below src/flows as a flow or as a helper, and no other', () => {
    expect([...column(2), ...helpers()].toSorted()).toEqual(flowFiles());
  });

  test('names the folders of src/flows in the sentence on their imports', () => {
    const sentence = /^Each folder imports only folders before it: (?<names>[^.]*)\.$/m.exec(PAGE);
    const names = [...(sentence?.groups?.['names'] ?? '').matchAll(/`(?<name>\w+)`/g)];
    expect(names.map(({ groups }) => groups?.['name'] ?? '').toSorted()).toEqual(foldersOf('src/flows'));
  });

  test('names the folders of src/adapters/database', () => {
    const order =
      /^- `src\/adapters\/database`:\s(?<names>.*(?:\n {2}.*)*)$/m
        .exec(PAGE)
        ?.groups?.['names']?.split(/,\s+/) ?? [];
    const folders = foldersOf('src/adapters/database').filter((name) => name !== 'migrations');
    expect(order.filter((name) => !name.includes('/')).toSorted()).toEqual(folders);
  });

  test.each([
    ['kubernetes', []],
    ['http', ['testdata']],
  ])('names the folders of src/adapters/%s', (adapter, others) => {
    const item = new RegExp(
      String.raw`^- \`src/adapters/${adapter}\`:\s(?<names>.*(?:\n {2}.*)*)$`,
      'm',
    ).exec(PAGE);
    const names = item?.groups?.['names'] ?? '';
    const folders = foldersOf(`src/adapters/${adapter}`).filter((name) => !others.includes(name));
    expect(folders.filter((name) => !new RegExp(String.raw`\b${name}\b`).test(names))).toEqual([]);
  });

  test('names only files that exist', () => {
    const files = [...PAGE.matchAll(/`(?<file>(src|tools)\/[\w./-]+\.ts)`/g)].map(
      ({ groups }) => groups?.['file'],
    );
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => file === undefined || !existsSync(join(ROOT, file)))).toEqual([]);
  });

  test('names the file with the route of each action of people', () => {
    const rows = [...PAGE.matchAll(/^\| 6\. (?<actions>[a-z, ]+?) +\| `(?<file>[^`]+)`/gm)];
    const routes = rows.flatMap(({ groups: { actions = '', file = '' } = {} }) =>
      actions.split(', ').map((action) => ({ action, file })),
    );
    expect(routes.length).toBeGreaterThan(5);
    expect(routes.filter(({ action, file }) => !hasRoute(file, action))).toEqual([]);
  });

  test('names only folders of the domain that exist', () => {
    expect(column(3).filter((name) => !foldersOf('src/domain').includes(name))).toEqual([]);
  });

  test('names only adapters that exist', () => {
    expect(column(4).filter((name) => !foldersOf('src/adapters').includes(name))).toEqual([]);
  });

  test('names every folder of the domain', () => {
    const [, section = ''] = PAGE.split('\n## Folders and entry points\n');
    expect(foldersOf('src/domain').filter((name) => !new RegExp(`\\b${name}\\b`).test(section))).toEqual([]);
  });
});
