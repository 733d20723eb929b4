import { expect, test } from '@jest/globals';
import type { LookUpAnswer } from './image-ports.ts';
import { lookUpEntrypoints, type EntrypointsAnswer } from './look-up-entrypoints.ts';

const ANSWERS: Record<string, LookUpAnswer> = {
  plugin: { answer: 'found', configuration: { entrypoint: ['./plugin'], cmd: ['run'], workingDir: '/app' } },
  shell: { answer: 'found', configuration: { entrypoint: [], cmd: ['/bin/sh'] } },
  empty: { answer: 'found', configuration: { entrypoint: [], cmd: [] } },
  slow: { answer: 'wait', reason: 'The registry is slow.' },
  absent: { answer: 'end', reason: 'The registry is unreachable.' },
};

const CASES: Record<string, [images: string[], answer: EntrypointsAnswer]> = {
  'no image needs no look-up': [[], { answer: 'found', entrypoints: {} }],
  'each image has its own entrypoint': [
    ['plugin', 'shell'],
    { answer: 'found', entrypoints: { plugin: ['/app/./plugin', 'run'], shell: ['/bin/sh'] } },
  ],
  'all images wait while the look-up of one has to be repeated': [
    ['plugin', 'slow'],
    { answer: 'wait', reason: 'The registry is slow.' },
  ],
  'one look-up that is given up ends all, with every reason': [
    ['slow', 'absent'],
    { answer: 'end', reason: 'The registry is slow. The registry is unreachable.' },
  ],
  'one image without a program ends all': [
    ['empty'],
    {
      answer: 'end',
      reason: 'The image empty cannot run: it has neither an entrypoint nor a command. Write cmd.',
    },
  ],
};
test.each(Object.entries(CASES))('%s', async (_name, [images, answer]) => {
  const pod = { namespace: 'main', podName: 'build-1', architecture: 'amd64' };
  const lookedUp: unknown[] = [];
  const lookUps = {
    lookUp: (key: { image: string }, podName: string) => {
      lookedUp.push({ ...key, podName });
      return Promise.resolve(
        ANSWERS[key.image] ?? ANSWERS['absent'] ?? { answer: 'end' as const, reason: '' },
      );
    },
  };
  expect(await lookUpEntrypoints(images, pod, lookUps)).toEqual(answer);
  expect(lookedUp).toEqual(images.map((image) => ({ ...pod, image })));
});
