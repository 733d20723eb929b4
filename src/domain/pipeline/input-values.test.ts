import { describe, expect, test } from '@jest/globals';
import type { JsonValue } from '#domain/language/json-value.ts';
import { automaticInputs, chooseInputs, type GivenInputs } from './input-values.ts';
import type { Input } from './pipeline.ts';

const string: Input = { name: 'size', type: 'string', default: 'x' };
const number: Input = { name: 'size', type: 'number', default: '0' };
const bool: Input = { name: 'size', type: 'bool', default: 'false' };
const choice: Input = { name: 'size', type: 'choice', default: 'dev', options: ['dev', 'prod'] };
const list: Input = { name: 'size', type: 'list', default: '', options: [] };
const listWithOptions: Input = { name: 'size', type: 'list', default: 'a', options: ['a', 'b', 'c'] };

/** The values as their variables hold them, or the messages of the problems. */
function outcome(inputs: Input[], given: GivenInputs): unknown {
  const chosen = chooseInputs(inputs, given);
  return 'values' in chosen ? chosen.values : chosen.problems.map(({ message }) => message);
}

describe('a value', () => {
  const cases: Record<string, [Input, JsonValue, string | [string]]> = {
    'of a string is taken unchanged': [string, ' a\n"b" ', ' a\n"b" '],
    'of a string may be empty': [string, '', ''],
    'of a string is never read as JSON': [string, '["a"]', '["a"]'],
    'of a string is not a number': [string, 1.1, ['Input size must be a string, not a number.']],
    'of a string is not a bool': [string, true, ['Input size must be a string, not a bool.']],
    'of a string is not a map': [string, { a: 1 }, ['Input size must be a string, not a map.']],
    'of a number may be a number': [number, -1.5, '-1.5'],
    'of a number may be large': [number, 1e21, '1e+21'],
    'of a number may be a text': [number, '007', '007'],
    'of a number cannot be another text': [number, '1,5', ['Input size must be a number, not "1,5".']],
    'of a number is not empty': [number, '', ['Input size must be a number, not "".']],
    'of a number is not a bool': [number, false, ['Input size must be a number, not a bool.']],
    'of a number is quoted in part if it is long': [
      number,
      'x'.repeat(200),
      [`Input size must be a number, not "${'x'.repeat(100)}".`],
    ],
    'of a bool may be a bool': [bool, true, 'true'],
    'of a bool may be a text': [bool, 'true', 'true'],
    'of a bool cannot be another text': [bool, 'yes', ['Input size must be true or false, not "yes".']],
    'of a bool is not a number': [bool, 1, ['Input size must be true or false, not a number.']],
    'of a choice is one of its options': [choice, 'prod', 'prod'],
    'of a choice cannot be anything else': [
      choice,
      'test',
      ['Input size "test" is not one of the options: dev, prod.'],
    ],
    'of a choice is not a list': [choice, ['dev'], ['Input size must be a string, not a list.']],
    'of a list may be a list': [list, ['a', 'b'], 'a,b'],
    'of a list may be a text with commas': [list, 'a,b', 'a,b'],
    'of a list may be empty': [list, [], ''],
    'of a list may be an empty text': [list, '', ''],
    'of a list has texts only': [list, ['a', 1], ['Input size must be a list of strings, not a list.']],
    'of a list is not a bool': [list, true, ['Input size must be a list of strings, not a bool.']],
    'of a list has no commas in an element': [
      list,
      ['a,b'],
      ['Input size of a list cannot have a comma in an element.'],
    ],
    'of a list with options may be several of them': [listWithOptions, ['c', 'a'], 'c,a'],
    'of a list with options cannot be anything else': [
      listWithOptions,
      'a,x',
      ['Input size "x" is not one of the options: a, b, c.'],
    ],
    'that is null becomes the default': [string, null, 'x'],
  };
  test.each(Object.entries(cases))('%s', (_name, [input, value, expected]) => {
    expect(outcome([input], { size: value })).toEqual(
      typeof expected === 'string' ? { size: expected } : expected,
    );
  });
});

describe('an input without a value', () => {
  test('has its default, also in automatic builds', () => {
    const inputs = [string, { ...listWithOptions, name: 'targets' }];
    expect(outcome(inputs, {})).toEqual({ size: 'x', targets: 'a' });
    expect(automaticInputs(inputs)).toEqual({ size: 'x', targets: 'a' });
  });

  const required: Record<string, [Input, string]> = {
    'a string': [string, 'Input size has no default: give it a string.'],
    'a number': [number, 'Input size has no default: give it a number.'],
    'a bool': [bool, 'Input size has no default: give it true or false.'],
    'a choice': [choice, 'Input size has no default: give it one of its options: dev, prod.'],
    'a list': [list, 'Input size has no default: give it a list of strings.'],
    'a list with options': [
      listWithOptions,
      'Input size has no default: give it a list of strings: a, b, c.',
    ],
  };
  test.each(Object.entries(required))('is required if it has no default: %s', (_name, [input, message]) => {
    const inputs: Input[] = [{ ...input, required: true }];
    expect(outcome(inputs, {})).toEqual([message]);
    expect(outcome(inputs, { size: null })).toEqual([message]);
    expect(automaticInputs(inputs)).toEqual({ size: input.default });
  });
});

describe('the list of problems', () => {
  test('has all problems at once, unknown names first', () => {
    const inputs: Input[] = [
      { ...choice, name: 'environment', required: true },
      { ...number, name: 'replicas' },
      { ...bool, name: 'dry_run' },
    ];
    expect(outcome(inputs, { enviroment: 'prod', color: 'red', replicas: 'many', dry_run: 'true' })).toEqual([
      'The job has no input "enviroment"; did you mean "environment"?',
      'The job has no input "color".',
      'Input environment has no default: give it one of its options: dev, prod.',
      'Input replicas must be a number, not "many".',
    ]);
  });

  test('has every given name if the job has no inputs', () => {
    expect(outcome([], { a: 1 })).toEqual(['The job has no input "a"; it has no inputs.']);
    expect(outcome([], {})).toEqual({});
  });

  test('names only the first of many options', () => {
    const options = Array.from({ length: 30 }, (_, index) => `o${index}`);
    expect(outcome([{ ...choice, options }], { size: 'x' })).toEqual([
      `Input size "x" is not one of the options: ${options.slice(0, 20).join(', ')}, ….`,
    ]);
  });

  test('has the unknown inputs __proto__ and toString, and no declared input toString with a default', () => {
    expect(outcome([], JSON.parse('{"__proto__": 1, "toString": 2}'))).toHaveLength(2);
    expect(outcome([{ ...string, name: 'toString' }], {})).toEqual({ toString: 'x' });
  });
});
