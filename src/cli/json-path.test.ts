import { describe, expect, test } from '@jest/globals';
import { checkTemplate, fillJsonPath } from './json-path.ts';

const ONE = { name: 'app', public: true, jobs: 2, 'a.b': { c: 'x' }, inputs: [{ v: 1 }, { v: 2 }, { v: 3 }] };
const LIST = [
  { name: 'app', jobs: 2 },
  { name: 'web', jobs: 1, tags: ['a', 'b'] },
];

describe('a jsonpath', () => {
  const filled: Record<string, [template: string, data: unknown, text: string]> = {
    'reads a field': ['{.name}', ONE, 'app'],
    'needs neither braces nor a dot': ['name', ONE, 'app'],
    'may begin with the root': ['{$.inputs[0].v}', ONE, '1'],
    'reads a list as an object with items': ['{.items[*].name}', LIST, 'app web'],
    'counts from the end': ['{.items[-1].name} {.items[-2].name}', LIST, 'web app'],
    'reads a slice': ['{.inputs[1:3]}', ONE, '{"v":2} {"v":3}'],
    'reads a field whose name has a dot': ["{['a.b'].c}", ONE, 'x'],
    'takes a quoted name literally': [
      `{['(x)']} {['?(1)']} {['^']} {["a[-1]"]} {['@number()']} {['__proto__']}`,
      JSON.parse('{"(x)":1,"?(1)":2,"^":3,"a[-1]":4,"@number()":5,"__proto__":6}'),
      '1 2 3 4 5 6',
    ],
    'reads no field that every object has': ['{.constructor}{.items.length}', LIST, ''],
    'reads nothing at an index outside the list': ['{.items[7].name}{.items[-7].name}', LIST, ''],
    'searches at any depth': ['{..v}', ONE, '1 2 3'],
    'prints a value that is not a string as JSON': ['{.public}, {.inputs[0]}', ONE, 'true, {"v":1}'],
    'prints the whole data as JSON': ['{.}', { a: 1 }, '{"a":1}'],
    'prints nothing for a field that is missing': ['[{.nope}]', ONE, '[]'],
    'keeps the text around it': ['name: {.name}{"\\n"}', ONE, 'name: app\n'],
    'repeats a range': ['{range .items[*]}{.name}{"\\t"}{.jobs}{"\\n"}{end}', LIST, 'app\t2\nweb\t1\n'],
    'repeats a range within a range': [
      '{range .items[*]}{.name}:{range .tags[*]} {.}{end};{end}',
      LIST,
      'app:;web: a b;',
    ],
  };
  test.each(Object.entries(filled))('%s', (_, [template, data, text]) => {
    expect(() => checkTemplate(template)).not.toThrow();
    expect(fillJsonPath(template, data)).toBe(text);
  });

  const refused: Record<string, [template: string, message: string]> = {
    'is empty': ['', 'the jsonpath is empty'],
    'has a brace without a partner': ['{.name', 'has no partner'],
    'has a closing brace without a partner': ['.name}', 'has no partner'],
    'has a filter': ['{.items[?(@.name=="app")]}', 'use --output json with jq'],
    'has a script': ['{.items[(@.length-1)]}', 'does not know'],
    'has a range that does not end': ['{range .items[*]}{.name}', 'add {end}'],
    'has a range without a path': ['{range}{.name}{end}', 'needs a path'],
    'has an end without a range': ['{.name}{end}', 'ends no {range}'],
    'has a text that is not a JSON string': ['{"\\x"}', 'is not a JSON string'],
  };
  test.each(Object.entries(refused))('is refused if it %s', (_, [template, message]) => {
    expect(() => checkTemplate(template)).toThrow(message);
  });
});
