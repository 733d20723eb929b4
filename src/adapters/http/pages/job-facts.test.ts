import { describe, expect, test } from '@jest/globals';
import type { Job } from '#domain/pipeline/pipeline.ts';
import { get, job, task } from '#testing/pipelines/sample-pipeline.ts';
import { jobFacts, rulesOf } from './job-facts.ts';

const APP = { team: 'main', pipeline: 'app' };

describe('the settings of a job', () => {
  const cases: Record<string, [Partial<Job>, [string, string][]]> = {
    'are empty if none is set': [{}, []],
    'say that builds run one at a time': [{ concurrency: 1 }, [['At a time', 'one build (serial)']]],
    'say how many builds run at a time': [{ concurrency: 3 }, [['At a time', '3 builds']]],
    'name the serial groups': [
      { serialGroups: ['a', 'b'] },
      [['Not together with', 'other jobs of the serial groups a, b']],
    ],
    'have the timeout in words': [{ timeoutSeconds: 7200 }, [['Timeout', '2 h']]],
    'say who must approve': [
      { approval: { label: 'go', approvals: 1, timeoutSeconds: 90, notify: [] } },
      [['Approval', 'one person, within 1 min 30 s']],
    ],
    'say what differs from the defaults': [
      { supersede: false, interruptible: true, allowFailure: true, disableRetry: true },
      [
        ['A newer build', 'cancels older ones'],
        ['Queued builds', 'are kept when newer versions are ready'],
        ['A failure', 'counts as a warning'],
        ['Retry', 'not allowed'],
      ],
    ],
    'do not mention a default that is written': [{ supersede: true, interruptible: false }, []],
  };
  test.each(Object.entries(cases))('%s', (_name, [settings, rules]) => {
    expect(rulesOf({ name: 'unit', steps: [], ...settings })).toEqual(rules);
  });
});

test('the gets of a job say what a new version does, and which jobs it must have passed', () => {
  const { text } = jobFacts(
    APP,
    job(
      'deploy',
      get('git.app', { passed: ['unit', 'lint'] }),
      get('git.tools', { trigger: false }),
      get('time.nightly'),
      task('go'),
    ),
  );
  const rows = text.split('<tr role="row">').map((row) =>
    row
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(' , ', ', ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  expect(rows.slice(2)).toEqual([
    'git.app starts a build of the newest unit, lint',
    'git.tools starts nothing any version',
    'time.nightly starts a build, and none is skipped any version',
  ]);
});
