import { expect, test } from '@jest/globals';
import { get, job, pipelineOf } from '#testing/pipelines/pipelines-to-draw.ts';
import { connectedComponents } from './connected-components.ts';
import { graphOf } from './graph-of.ts';

const CASES: Record<string, { jobs: Parameters<typeof pipelineOf>; components: string[][] }> = {
  'a graph without jobs has no components': { jobs: [], components: [] },
  'jobs that share a resource are one component, in the order of the file': {
    jobs: [job('b', get('git.app')), job('a', get('git.app'))],
    components: [['resource git.app', 'job b', 'job a']],
  },
  'the component that begins first comes first, even if it ends last': {
    jobs: [job('one', get('git.app')), job('other', get('git.docs')), job('two', get('git.app'))],
    components: [
      ['resource git.app', 'job one', 'job two'],
      ['resource git.docs', 'job other'],
    ],
  },
  'a job without resources is a component of its own': {
    jobs: [job('lonely'), job('unit', get('git.app'))],
    components: [['job lonely'], ['resource git.app', 'job unit']],
  },
};

test.each(Object.entries(CASES))('%s', (_sentence, { jobs, components }) => {
  expect(connectedComponents(graphOf(pipelineOf(...jobs))).map((nodes) => nodes.map(({ id }) => id))).toEqual(
    components,
  );
});
