import { describe, expect, test } from '@jest/globals';
import { exportVersion, parseOutput } from './step-output.ts';

const cases: Record<string, { text: string; exports: Record<string, string> }> = {
  'a line is a key and a value': { text: 'image=app:1\n', exports: { TASK_UNIT_IMAGE: 'app:1' } },
  'the first = divides': { text: 'A=b=c', exports: { TASK_UNIT_A: 'b=c' } },
  'keys are spelled as variables': { text: 'my-key.x=1', exports: { TASK_UNIT_MY_KEY_X: '1' } },
  'empty lines, comments and lines without = say nothing': {
    text: '\n# a=b\n  # c=d\nplain\n=x\n',
    exports: {},
  },
  'the last line for a key wins': { text: 'a=1\nA=2', exports: { TASK_UNIT_A: '2' } },
  'a value keeps its spaces and backslashes': { text: 'a= x \\n y ', exports: { TASK_UNIT_A: ' x \\n y ' } },
  'line ends of other systems do not reach the value': {
    text: 'a=1\r\nb=2\r\n',
    exports: { TASK_UNIT_A: '1', TASK_UNIT_B: '2' },
  },
};

describe('what a task exports', () => {
  test.each(Object.entries(cases))('%s', (_name, { text, exports }) => {
    expect(parseOutput('TASK_UNIT_', text)).toEqual(exports);
  });
});

test('a version is exported field by field', () => {
  expect(exportVersion('GET_MY_REPO_', { ref: 'a', 'meta_sha-1': 'b' })).toEqual({
    GET_MY_REPO_REF: 'a',
    GET_MY_REPO_META_SHA_1: 'b',
  });
});
