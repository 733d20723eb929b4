import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { run } from '#e2e/support/command.ts';
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

/** Its Pipelines are checked when they are applied. */
const CHECKED = teamName('e2e-refused');
/** Its Pipelines are let in, as they are where nobody answers the API server. */
const TEAM = teamName('e2e-bad-manifest');

/** What kubectl says to a manifest that it must not be able to apply. */
const refusal = async (manifest: object, ...args: string[]): Promise<string> => {
  const input = JSON.stringify(manifest);
  const { code, stdout, stderr } = await run('kubectl', ['apply', '-f', '-', ...args], { input });
  if (code !== 1) throw new Error(`it is let in: ${stdout}${stderr}`);
  return stderr;
};

beforeAll(async () => {
  await Promise.all([createTeam(TEAM), createTeam(CHECKED)]);
  await kubectl('label', 'namespace', TEAM, 'millrace.dev/disable-validation=true');
  // An operator that has just started is asked within moments, not at once.
  const probe = pipelineManifest(CHECKED, 'probe', 'nonsense');
  await eventually(() => refusal(probe, '--dry-run=server'));
}, 600_000);
afterAll(async () => {
  await Promise.all([deleteTeam(TEAM), deleteTeam(CHECKED)]);
}, 600_000);

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

describe('a bad manifest, applied', () => {
  test.each(Object.entries(BAD))(
    'with %s is refused, in a dry run too, and the one before it goes on',
    async (sentence, bad) => {
      const name = sentence.replaceAll(' ', '-');
      await createPipeline(CHECKED, name, oneJob('echo still here'));
      const before = await get('pipeline', name, '--namespace', CHECKED);
      const manifest = pipelineManifest(CHECKED, name, bad.config);
      // An operator that has just begun to read texts again may be too slow for the API server.
      await eventually(() => refusal(manifest, '--dry-run=server'));
      for (const args of [[], ['--dry-run=server'], ['--server-side']]) {
        const output = await refusal(manifest, ...args);
        expect(output).toContain(`The Pipeline "${name}" is invalid:`);
        for (const place of bad.places) expect(output).toContain(`spec.config: ${place}`);
      }
      const after = await get('pipeline', name, '--namespace', CHECKED);
      expect(after.metadata.generation).toBe(before.metadata.generation);
      expect(condition(after, 'Ready').status).toBe('True');
    },
    600_000,
  );
});

describe('a bad manifest that was let in', () => {
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
    600_000,
  );
});
