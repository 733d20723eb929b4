import { expect, test } from '@jest/globals';
import { plainValue } from '#domain/convert/yaml-tree.ts';
import { readYamlTree } from './read-yaml-tree.ts';

const read = (source: string): unknown => {
  const { tree } = readYamlTree(source);
  return tree && plainValue(tree);
};

test.each([
  ['yes', true],
  ['Yes', true],
  ['yEs', 'yEs'],
  ['y', true],
  ['on', true],
  ['TRUE', true],
  ['no', false],
  ['N', false],
  ['Off', false],
  ['', null],
  ['~', null],
  ['Null', null],
  ['0', 0],
  ['7', 7],
  ['-7', -7],
  ['+7', 7],
  ['0755', 493],
  ['-010', -8],
  ['0o17', 15],
  ['0x1F', 31],
  ['0b101', 5],
  ['089', 89],
  ['1_000', 1000],
  ['1.50', 1.5],
  ['.5', 0.5],
  ['5.', 5],
  ['1e3', 1000],
  ['1.2.3', '1.2.3'],
  ['0x', '0x'],
  ['1:30', '1:30'],
  ['190:20:30', '190:20:30'],
  ['12:30:45.5', '12:30:45.5'],
  ['2026-11-24', '2026-11-24'],
  ['2026-11-24T10:00:00Z', '2026-11-24T10:00:00Z'],
  ['"yes"', 'yes'],
  ["'0755'", '0755'],
  ['!!str 0755', '0755'],
  ['!!int 0755', 493],
  ['|\n    on', 'on\n'],
])('Concourse reads the YAML %j as %j', (text, value) => {
  expect(read(`key: ${text}\n`)).toEqual({ key: value });
});

test('a key is the text of the value that it resolves to', () => {
  expect(read('on: 1\n010: 2\n"off": 3\n')).toEqual({ true: 1, '8': 2, off: 3 });
});

test('only a << without quotes merges', () => {
  const source = 'a: &a {x: 1, y1: 2}\nb: {<<: *a, x: 3}\nc: {<<: [{z: 4}, *a]}\nd: {"<<": 5}\n';
  expect(read(source)).toEqual({
    a: { x: 1, y1: 2 },
    b: { y1: 2, x: 3 },
    c: { z: 4, x: 1, y1: 2 },
    d: { '<<': 5 },
  });
});
