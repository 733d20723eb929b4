import { describe, expect, test } from '@jest/globals';
import { exportVersion, parseOutput } from './step-output.ts';

/** A value that, with the name of its variable, is as long as Linux allows. */
const longest = 'x'.repeat(131_071 - 'TASK_UNIT_A='.length);

interface Case {
  text: string;
  exports: Record<string, string>;
  ignored?: number[];
  problem?: string;
}

const cases: Record<string, Case> = {
  'can be as long as a variable': { text: `a=${longest}`, exports: { TASK_UNIT_A: longest } },
  'cannot be longer than a variable': {
    text: `a=ä${longest.slice(1)}`,
    exports: { TASK_UNIT_A: `ä${longest.slice(1)}` },
    problem: '$SVC_OUTPUT: $TASK_UNIT_A would have 131072 bytes; a variable has at most 131071',
  },
  'cannot have a NUL byte': {
    text: 'a=x\0y',
    exports: { TASK_UNIT_A: 'x\0y' },
    problem: '$SVC_OUTPUT: the value of $TASK_UNIT_A has a NUL byte',
  },
  'are in lines of a key and a value': { text: 'image=app:1\n', exports: { TASK_UNIT_IMAGE: 'app:1' } },
  'begin after the first =': { text: 'A=b=c', exports: { TASK_UNIT_A: 'b=c' } },
  'have keys that are spelled as variables': { text: 'my-key.x=1', exports: { TASK_UNIT_MY_KEY_X: '1' } },
  'do not come from empty lines and comments': { text: '\n# a=b\n  # c=d\n \n', exports: {} },
  'do not come from a line without a key or without =, which causes a warning': {
    text: 'plain\na=1\n=x\n',
    exports: { TASK_UNIT_A: '1' },
    ignored: [1, 3],
  },
  'are decided by the last line for a key': { text: 'a=1\nA=2', exports: { TASK_UNIT_A: '2' } },
  'keep the blanks and backslashes of a value': {
    text: 'a= x \\n y ',
    exports: { TASK_UNIT_A: ' x \\n y ' },
  },
  'do not contain line ends of other systems': {
    text: 'a=1\r\nb=2\r\n',
    exports: { TASK_UNIT_A: '1', TASK_UNIT_B: '2' },
  },
};

describe('the values that a task exports', () => {
  test.each(Object.entries(cases))('%s', (_name, { text, exports, problem, ignored = [] }) => {
    const warnings = ignored.map((line) => `$SVC_OUTPUT: line ${line} is not KEY=VALUE, so it is ignored`);
    expect(parseOutput('TASK_UNIT_', text)).toEqual({ exports, warnings, problem });
  });
});

test('a version is exported field by field', () => {
  expect(exportVersion('GET_MY_REPO_', { ref: 'a', 'meta_sha-1': 'b' })).toEqual({
    GET_MY_REPO_REF: 'a',
    GET_MY_REPO_META_SHA_1: 'b',
  });
});
