import { describe, expect, test } from '@jest/globals';
import { expandReferences } from './expand-references.ts';

const VARIABLES = { BUILD_NUMBER: '7', GET_APP_REF: 'abc', TASK_BUILD_FILE: '$BUILD_NUMBER', HOME: '/root' };

const CASES: Record<string, [text: string, expanded: string]> = {
  'can be a bare name': ['build-$BUILD_NUMBER', 'build-7'],
  'can be a name in braces, with text directly after it': ['${BUILD_NUMBER}th', '7th'],
  'can occur several times': ['$BUILD_NUMBER/$GET_APP_REF', '7/abc'],
  'is the longest written name, not a shorter one that is set': ['$BUILD_NUMBERS', '$BUILD_NUMBERS'],
  'stays if its name is not set': ['$GET_OTHER_REF', '$GET_OTHER_REF'],
  'stays if its name has another prefix, set or not': ['$HOME ${PATH} $1 $$', '$HOME ${PATH} $1 $$'],
  'is not expanded inside a value': ['$TASK_BUILD_FILE', '$BUILD_NUMBER'],
  'is not the name of a JavaScript property': [
    '$BUILD_constructor $GET_toString',
    '$BUILD_constructor $GET_toString',
  ],
  'needs a closing brace': ['${BUILD_NUMBER', '${BUILD_NUMBER'],
};

describe('a reference in text', () => {
  test.each(Object.entries(CASES))('%s', (_sentence, [text, expanded]) => {
    expect(expandReferences(text, VARIABLES)).toBe(expanded);
  });
});
