import { describe, expect, test } from '@jest/globals';
import { describeJob } from './follow.ts';
import type { DemoBuild } from './gateway.ts';
import { clock } from './screen.ts';

const build = (fields: Partial<DemoBuild>): DemoBuild => ({
  number: '7',
  status: 'succeeded',
  created_at: '2026-01-01T00:00:00Z',
  ...fields,
});

describe('the line of a job shows', () => {
  test.each<[string, DemoBuild | undefined, string]>([
    ['that nothing has started yet', undefined, '· unit          waiting               0:04'],
    [
      'why a build is pending',
      build({ status: 'pending', message: 'quota exceeded', ended_at: '2026-01-01T00:00:03Z' }),
      '· unit          pending    build 7    0:03    quota exceeded',
    ],
    [
      'steps and time of a build that succeeded',
      build({
        started_at: '2026-01-01T00:00:01Z',
        ended_at: '2026-01-01T00:01:05Z',
        message: 'All steps succeeded.',
        steps: [
          { kind: 'get', name: 'git.app', status: 'succeeded' },
          { kind: 'task', name: 'test', status: 'started' },
        ],
      }),
      '✔ unit          succeeded  build 7    1:04  ✔ git.app  ▶ test',
    ],
    [
      'why a build failed',
      build({
        status: 'failed',
        message: 'test ended with 1',
        ended_at: '2026-01-01T00:00:02Z',
        steps: [{ kind: 'task', name: 'test', status: 'failed' }],
      }),
      '✘ unit          failed     build 7    0:02  ✘ test  test ended with 1',
    ],
  ])('%s', (_, demoBuild, line) => {
    expect(describeJob('unit', demoBuild, 4000)).toBe(line);
  });
});

test.each([
  [-5, '0:00'],
  [7400, '0:07'],
  [750_000, '12:30'],
])('%d ms are shown as %s', (milliseconds, text) => {
  expect(clock(milliseconds)).toBe(text);
});
