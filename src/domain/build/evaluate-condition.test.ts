import { describe, expect, test } from '@jest/globals';
import { parseCondition, variablesOf } from '#domain/language/condition.ts';
import { evaluateCondition } from './evaluate-condition.ts';

const variables = {
  GET_APP_REF: 'abc',
  INPUT_ENV: 'prod',
  BUILD_NUMBER: '12',
  TASK_T_VERSION: '1.9',
  EVIL: "x' == 'x' || '1",
  EMPTY: '',
};

function holds(text: string): boolean {
  const condition = parseCondition(text);
  if ('reason' in condition) throw new Error(`${condition.character}: ${condition.reason}`);
  return evaluateCondition(condition, variables);
}

describe('a condition', () => {
  test.each<[text: string, holds: boolean]>([
    ["$GET_APP_REF == 'abc'", true],
    ['$GET_APP_REF == abc', true],
    ['${GET_APP_REF} == "abc"', true],
    ['"$GET_APP_REF-$INPUT_ENV" == abc-prod', true],
    ["'$INPUT_ENV' == prod", false],
    ["'$INPUT_ENV' == '$INPUT_ENV'", true],
    ["$GET_APP_REF != ''", true],
    ["$UNSET == ''", true],
    ['$EMPTY == ""', true],
    ["$toString == ''", true],
    ['$BUILD_NUMBER > 9', true],
    ['$BUILD_NUMBER < 9', false],
    ['"a9" < "a12"', false],
    ['"\uFFFD" < "😀"', true],
    ['"😀" > "\uFFFD"', true],
    ['"ab" > "a"', true],
    ['"" < "a"', true],
    ['"a" < "a"', false],
    ['1e3 > 999.5', true],
    ['$TASK_T_VERSION == 1.90', false],
    ['$INPUT_ENV contains ro', true],
    ['$INPUT_ENV !contains ro', false],
    ['containsall == containsall', true],
    ['$INPUT_ENV == prod && $BUILD_NUMBER > 100', false],
    ['$INPUT_ENV == prod || $BUILD_NUMBER > 100', true],
    ['a == b && a == b || a == a', true],
    ['a == b && (a == b || a == a)', false],
    ['a == a || a == b && a == b', true],
    ['((a == a))', true],
    ["$EVIL == 'x'", false],
    ['$EVIL contains "||"', true],
    [String.raw`"\$INPUT_ENV" == '$INPUT_ENV'`, true],
    [String.raw`"say \"hi\"" == 'say "hi"'`, true],
    ["'it'\"'\"'s' == \"it's\"", true],
    ["''a'' == a", true],
  ])('%s is %p', (text, expected) => expect(holds(text)).toBe(expected));

  test('names its variables once each', () => {
    const condition = parseCondition('$A == "$B-$A" || ($C > 1 && x == y)');
    expect('reason' in condition ? condition : variablesOf(condition)).toEqual(['A', 'B', 'C']);
  });
});

describe('a malformed condition', () => {
  test.each<[text: string, character: number, reason: string]>([
    ['', 1, 'it is empty'],
    ['   ', 4, 'it is empty'],
    ['$A', 3, 'a comparison is missing'],
    ['$A ==', 6, 'a value is missing'],
    ['== b', 1, 'a value is missing'],
    ['a == b c == d', 8, '&& or || is missing'],
    ['a == b && ', 11, 'a value is missing'],
    ['(a == b', 8, 'a closing bracket is missing'],
    ['a == b)', 7, 'no bracket that this one closes'],
    ['a >= b', 3, 'no operator >='],
    ['a <= b', 3, 'no operator <='],
    ['a =~ b', 3, 'no operator =~'],
    ['a = b', 3, '= means nothing here'],
    ['a & b', 3, '& means nothing here'],
    ["a == 'b", 6, 'a closing quote is missing'],
    ['a == "b', 6, 'a closing quote is missing'],
    ['!(a == b)', 1, 'no operator !'],
    ['$ == b', 1, '$ must be followed by the name'],
    ['${A == b', 1, '$ must be followed by the name'],
    [`${'('.repeat(101)}a == b`, 102, 'nested more than 100 deep'],
  ])('%j is refused at character %d: %s', (text, character, reason) => {
    expect(parseCondition(text)).toEqual({ character, reason: expect.stringContaining(reason) });
  });
});
