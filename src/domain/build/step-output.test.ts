import { describe, expect, test } from '@jest/globals';
import { exportVersion, parseOutput } from './step-output.ts';

/** As long as Linux allows, with the name. */
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
  'a line is a key and a value': { text: 'image=app:1\n', exports: { TASK_UNIT_IMAGE: 'app:1' } },
  'the first = divides': { text: 'A=b=c', exports: { TASK_UNIT_A: 'b=c' } },
  'keys are spelled as variables': { text: 'my-key.x=1', exports: { TASK_UNIT_MY_KEY_X: '1' } },
  'empty lines and comments say nothing': { text: '\n# a=b\n  # c=d\n \n', exports: {} },
  'a line without a key or without = is ignored with a warning': {
    text: 'plain\na=1\n=x\n',
    exports: { TASK_UNIT_A: '1' },
    ignored: [1, 3],
  },
  'are decided by the last line for a key': { text: 'a=1\nA=2', exports: { TASK_UNIT_A: '2' } },
  'keep the blanks and backslashes of a value': {
    text: 'a= x \\n y ',
    exports: { TASK_UNIT_A: ' x \\n y ' },
  },
  'have no line ends of other systems in a value': {
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
