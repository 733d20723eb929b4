import { expect, test } from '@jest/globals';
import { expandMessage } from './expand-message.ts';

const variables = {
  TASK_UNIT_LIST: String.raw`a\nb`,
  BUILD_JOB_NAME: 'unit',
  GET_APP_REF: '$version_ref',
  version_ref: '$BUILD_JOB_NAME',
};

test.each([
  [
    'a message expands references with and without braces',
    '$BUILD_JOB_NAME, ${BUILD_JOB_NAME}s',
    'unit, units',
  ],
  ['a message expands fields of a version', '$version_ref ${version_ref}', '$BUILD_JOB_NAME $BUILD_JOB_NAME'],
  ['a message does not expand values again', '$GET_APP_REF', '$version_ref'],
  [
    'a message keeps unknown references',
    '$BUILD_NUMBER $version_tag $HOME',
    '$BUILD_NUMBER $version_tag $HOME',
  ],
  ['a message turns a backslash and an n into a new line', String.raw`a\n$BUILD_JOB_NAME\n`, 'a\nunit\n'],
  ['a message turns a backslash and an n of a value into a new line', '$TASK_UNIT_LIST', 'a\nb'],
  ['an empty message stays empty', '', ''],
])('%s', (_title, message, expanded) => {
  expect(expandMessage(message, variables)).toBe(expanded);
});
