import { expect, test } from '@jest/globals';
import { graphStateOf, structureOf, type PipelineEventData } from './pipeline-state.ts';

const MEMBERS: PipelineEventData = {
  pipeline: { revision: 3 },
  jobs: [{ name: 'unit', paused: false, outcome: 'failed', doing: 'started' }],
  resources: [
    { name: 'git.app', pinned_by: 'ann' },
    { name: 'git.lib', check_error: 'No such host.' },
  ],
};
const PUBLIC: PipelineEventData = {
  pipeline: {},
  jobs: [{ name: 'unit', paused: true }],
  resources: [{ name: 'git.app', pinned: true }],
};

test('the state for members contains outcomes, pins and failed checks', () => {
  const { jobs, resources } = graphStateOf(MEMBERS);
  expect(jobs.get('unit')).toEqual({ paused: false, ended: 'failed', doing: 'started' });
  expect(resources.get('git.app')).toEqual({ pinned: true, failing: false });
  expect(resources.get('git.lib')).toEqual({ pinned: false, failing: true });
});

test('the state for the public contains only the fields that the public may see', () => {
  const { jobs, resources } = graphStateOf(PUBLIC);
  expect(jobs.get('unit')).toEqual({ paused: true });
  expect(resources.get('git.app')).toEqual({ pinned: true, failing: false });
});

test('the structure changes with the revision and with names, not with states', () => {
  const first = structureOf(MEMBERS);
  expect(structureOf({ ...MEMBERS, jobs: [{ name: 'unit', paused: true }] })).toBe(first);
  expect(structureOf({ ...MEMBERS, pipeline: { revision: 4 } })).not.toBe(first);
  expect(structureOf({ ...MEMBERS, jobs: [{ name: 'other', paused: true }] })).not.toBe(first);
});
