import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { tools } from './versions.ts';

const modules = join(import.meta.dirname, 'modules');

test.each(tools.map((tool) => [tool.name, tool] as const))(
  'go.mod of %s requires the version in the table',
  (name, tool) => {
    const required = readFileSync(join(modules, name, 'go.mod'), 'utf8').matchAll(
      /^(?:require )?\s*(\S+) (v\S+)$/gm,
    );
    const versions = [...required].filter((match) => match[1] === tool.module).map((match) => match[2]);
    expect(versions).toEqual([tool.version]);
  },
);

test('every module in the folder is in the table', () => {
  expect(readdirSync(modules).toSorted()).toEqual(tools.map((tool) => tool.name).toSorted());
});

test('no two tools have a binary of the same name', () => {
  const names = tools.flatMap((tool) => Object.values(tool.packages));
  expect(names).toHaveLength(new Set(names).size);
});
