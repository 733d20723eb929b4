import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '#e2e/support/eventually.ts';
import {
  buildEnded,
  createPipeline,
  createTeam,
  deleteTeam,
  oneJob,
  pipelineManifest,
  teamName,
} from '#e2e/support/fixtures.ts';
import { pipelineApi } from '#e2e/support/gateway.ts';
import { apply, condition, get, kubectl } from '#e2e/support/kubectl.ts';

const TEAM = teamName('e2e-bad-manifest');

beforeAll(() => createTeam(TEAM), 120_000);
afterAll(() => deleteTeam(TEAM), 240_000);

/** What is wrong, and every `line:column` that the condition must name. */
const BAD: Record<string, { config: string; places: string[] }> = {
  'a syntax error': { config: 'job "work" {\n  task "run" {\n', places: ['2:'] },
  'an unknown block': { config: 'jobb "work" {\n}\n', places: ['1:1'] },
  'an unknown attribute': {
    config: 'job "work" {\n  task "run" {\n    run "shell" {\n      cmdd = "true"\n    }\n  }\n}\n',
    places: ['4:7'],
  },
  'a type error': {
    config: 'resource "cron" "tick" {\n  check_interval = ["@every 1m"]\n}\n',
    places: ['2:20'],
  },
  'two errors at once': {
    config: 'jobb "work" {\n}\nresource "cron" "tick" {\n  check_interval = "@every 1s"\n}\n',
    places: ['1:1', '4:20'],
  },
};

describe('a bad manifest', () => {
  test.each(Object.entries(BAD))(
    'with %s tells where, and the last good revision still builds',
    async (sentence, bad) => {
      const name = sentence.replaceAll(' ', '-');
      await createPipeline(TEAM, name, oneJob('echo still here'));
      await apply(pipelineManifest(TEAM, name, bad.config));
      const ready = await eventually(async () => {
        const found = condition(await get('pipeline', name, '--namespace', TEAM), 'Ready');
        if (found.status !== 'False') throw new Error(`Ready is ${found.status}: ${found.message}`);
        return found;
      });
      expect(ready.reason).toBe('InvalidConfig');
      for (const place of bad.places) expect(ready.message).toContain(place);
      const triggered = await pipelineApi(TEAM, name).trigger('work');
      expect(triggered.status).toBe(201);
      expect((await buildEnded(TEAM, name, 'work', '1')).status).toBe('succeeded');
      expect(await kubectl('describe', 'pipeline', name, '--namespace', TEAM)).toContain('InvalidConfig');
    },
    180_000,
  );
});
