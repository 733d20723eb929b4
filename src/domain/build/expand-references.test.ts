import { describe, expect, test } from '@jest/globals';
import { expandReferences } from './expand-references.ts';

const VARIABLES = { BUILD_NUMBER: '7', GET_APP_REF: 'abc', TASK_BUILD_FILE: '$BUILD_NUMBER', HOME: '/root' };

const CASES: Record<string, [text: string, expanded: string]> = {
  'a bare name': ['build-$BUILD_NUMBER', 'build-7'],
  'a name in braces, with text right behind it': ['${BUILD_NUMBER}th', '7th'],
  'several in one text': ['$BUILD_NUMBER/$GET_APP_REF', '7/abc'],
  'the longest name that is written, not a shorter one that is set': ['$BUILD_NUMBERS', '$BUILD_NUMBERS'],
  'a name that is not set stays': ['$GET_OTHER_REF', '$GET_OTHER_REF'],
  'names of other kinds stay, set or not': ['$HOME ${PATH} $1 $$', '$HOME ${PATH} $1 $$'],
  'a value is not expanded again': ['$TASK_BUILD_FILE', '$BUILD_NUMBER'],
  'names that every object has are not variables': [
    '$BUILD_constructor $GET_toString',
    '$BUILD_constructor $GET_toString',
  ],
  'an open brace is only text': ['${BUILD_NUMBER', '${BUILD_NUMBER'],
};

describe('a reference in text', () => {
  test.each(Object.entries(CASES))('%s', (_sentence, [text, expanded]) => {
    expect(expandReferences(text, VARIABLES)).toBe(expanded);
  });
});
