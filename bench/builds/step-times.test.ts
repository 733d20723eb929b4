import { expect, test } from '@jest/globals';
import { gapsBetween, stepsJob, timesIn } from './step-times.ts';

test('the gaps are those between the times that steps print', () => {
  const log = 'note\n1700000000000000000\n1700000000012500000\n12\n1700000000020500000\n';
  expect(gapsBetween(timesIn(log))).toEqual([12.5, 8]);
});

test('the steps of a job alternate between the worker image and the other images', () => {
  const text = stepsJob('many', ['true', 'true', 'true', 'true'], ['a:1', 'b:1']);
  expect([...text.matchAll(/run "(\w+)"|image = "([^"]+)"/g)].map(([, run, image]) => run ?? image)).toEqual([
    'shell',
    'docker',
    'a:1',
    'docker',
    'b:1',
    'shell',
  ]);
});
