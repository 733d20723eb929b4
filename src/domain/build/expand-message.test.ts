import { expect, test } from '@jest/globals';
import { expandMessage } from './expand-message.ts';

const variables = { BUILD_JOB_NAME: 'unit', GET_APP_REF: '$version_ref', version_ref: '$BUILD_JOB_NAME' };

test.each([
  ['references with and without braces', '$BUILD_JOB_NAME, ${BUILD_JOB_NAME}s', 'unit, units'],
  ['fields of a version', '$version_ref ${version_ref}', '$BUILD_JOB_NAME $BUILD_JOB_NAME'],
  ['values are not expanded again', '$GET_APP_REF', '$version_ref'],
  ['what is not known stays', '$BUILD_NUMBER $version_tag $HOME', '$BUILD_NUMBER $version_tag $HOME'],
  ['a backslash and an n become a new line', String.raw`a\n$BUILD_JOB_NAME\n`, 'a\nunit\n'],
  ['nothing', '', ''],
])('%s', (_what, message, expanded) => {
  expect(expandMessage(message, variables)).toBe(expanded);
});
