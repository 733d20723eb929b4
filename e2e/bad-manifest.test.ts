import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runProgram } from '#e2e/support/command.ts';
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
import { apply, condition, kubectl } from '#e2e/support/kubectl.ts';
import { get } from '#e2e/support/read-objects.ts';

/** The admission webhook validates the Pipelines of this team. */
const CHECKED = teamName('e2e-refused');
/** The admission webhook ignores this team, as if the API server could not reach the webhook. */
const TEAM = teamName('e2e-bad-manifest');

/** Applies a manifest that must be rejected; returns what kubectl prints on stderr. */
const refusal = async (manifest: object, ...args: string[]): Promise<string> => {
  const input = JSON.stringify(manifest);
  const { code, stdout, stderr } = await runProgram('kubectl', ['apply', '-f', '-', ...args], { input });
  if (code !== 1) throw new Error(`the manifest was accepted: ${stdout}${stderr}`);
  return stderr;
};

beforeAll(async () => {
  await Promise.all([createTeam(TEAM), createTeam(CHECKED)]);
  await kubectl('label', 'namespace', TEAM, 'millrace.dev/disable-validation=true');
  // After the operator starts, the API server may take moments until it calls the webhook.
  const probe = pipelineManifest(CHECKED, 'probe', 'nonsense');
  await eventually(() => refusal(probe, '--dry-run=server'));
}, 600_000);
afterAll(async () => {
  await Promise.all([deleteTeam(TEAM), deleteTeam(CHECKED)]);
}, 600_000);

/** Invalid configs, with every `line:column` that the condition must name. */
const INVALID: Record<string, { config: string; places: string[] }> = {
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

describe('the admission webhook', () => {
  test.each(Object.entries(INVALID))(
    'rejects a manifest with %s, in a dry run too, and the previous manifest stays in effect',
    async (sentence, bad) => {
      const name = sentence.replaceAll(' ', '-');
      await createPipeline(CHECKED, name, oneJob('echo still here'));
      const before = await get('pipeline', name, '--namespace', CHECKED);
      const manifest = pipelineManifest(CHECKED, name, bad.config);
      // An operator that first has to start its compiler may exceed the timeout of the API server.
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

describe('an invalid manifest that bypassed the webhook', () => {
  test.each(Object.entries(INVALID))(
    'with %s reports the position of each error in its Ready condition, and the last good revision still builds',
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
