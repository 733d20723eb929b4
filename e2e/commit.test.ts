import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '#e2e/support/eventually.ts';
import { buildEnded, createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { pipelineApi, request } from '#e2e/support/gateway.ts';
import { startGitServer } from '#e2e/support/git-server.ts';
import { apply, condition, kubectl } from '#e2e/support/kubectl.ts';
import { get, list } from '#e2e/support/read-objects.ts';
import { pushCommit, tagsOf } from '#tools/demo/commit.ts';
import type { ReachableService } from '#tools/demo/reach.ts';

/*
 * Runs the sample pipeline against a real git server: a commit becomes a version, passes three jobs and gets
 * a tag.
 */
const TEAM = teamName('e2e-commit');
const FORGE = `${TEAM}-forge`;
const JOBS = ['unit', 'integration', 'publish'];

let forge: ReachableService;
const repository = (): string => `${forge.url}/app.git`;

beforeAll(async () => {
  await createTeam(TEAM);
  forge = await startGitServer(FORGE);
}, 600_000);

afterAll(async () => {
  forge.close();
  await deleteTeam(TEAM);
  await kubectl('delete', 'namespace', FORGE, '--wait=false');
}, 600_000);

const api = pipelineApi(TEAM, 'app');

const versionOf = (ref: string): Promise<number> =>
  eventually(async () => {
    const found = (await api.versions('git.app')).find(({ version }) => version['ref'] === ref);
    if (found === undefined) throw new Error(`no version of git.app has the ref ${ref}`);
    return found.id;
  });

describe('a commit', () => {
  test('to an empty repository becomes a version, passes three jobs and gets a tag', async () => {
    const { ref } = await pushCommit(repository());
    const sample = readFileSync('config/samples/pipeline.yaml', 'utf8');
    await apply(
      sample
        .replace('namespace: demo', `namespace: ${TEAM}`)
        .replace('http://git.forge.svc/', `http://git.${FORGE}.svc/`),
    );
    expect(await versionOf(ref)).toBeGreaterThan(0);
    for (const job of JOBS)
      expect(await eventually(() => buildEnded(TEAM, 'app', job, '1'))).toMatchObject({
        status: 'succeeded',
        attempt: 1,
      });
    expect(await tagsOf(repository(), ref)).toEqual(['build-1']);
    const log = await api.log('unit', '1');
    expect(log).toContain(ref);
    expect(log).toContain(`build 1 of ${TEAM}/app/unit`);
  }, 600_000);

  test('that a webhook announces is built without waiting for the next check', async () => {
    const { webhook_token: token } = await api.resource('git.app');
    const { ref } = await pushCommit(repository());
    expect((await request('POST', `/webhooks/${token}`, { authorization: '' })).status).toBe(202);
    await versionOf(ref);
    expect((await buildEnded(TEAM, 'app', 'publish', '2')).status).toBe('succeeded');
    expect(await tagsOf(repository(), ref)).toEqual(['build-2']);
  }, 600_000);

  test('is found by a check that kubectl creates from the CronJob', async () => {
    const { ref } = await pushCommit(repository());
    const [cronJob] = await list('cronjobs', '--namespace', TEAM);
    expect(cronJob?.spec['suspend']).toBe(true);
    await kubectl(
      'create',
      'job',
      '--namespace',
      TEAM,
      `--from=cronjob/${cronJob?.metadata.name}`,
      'by-hand',
    );
    await versionOf(ref);
    await kubectl('wait', '--for=condition=complete', 'job/by-hand', '--namespace', TEAM, '--timeout=9m');
    expect((await buildEnded(TEAM, 'app', 'unit', '3')).status).toBe('succeeded');
  }, 600_000);

  test('that gets a tag starts no further build', async () => {
    expect((await api.check('git.app')).status).toBe(202);
    expect((await buildEnded(TEAM, 'app', 'publish', '3')).status).toBe('succeeded');
    expect((await api.versions('git.app')).map(({ version }) => Object.keys(version))).toEqual([
      ['ref'],
      ['ref'],
      ['ref'],
    ]);
    expect((await api.builds('unit')).map(({ number }) => number)).toEqual(['3', '2', '1']);
  }, 600_000);

  test('shows its builds in the Events and conditions of the Pipeline', async () => {
    await eventually(async () => {
      const pipeline = await get('pipeline', 'app', '--namespace', TEAM);
      expect(condition(pipeline, 'LastBuildSucceeded').status).toBe('True');
      const described = await kubectl('describe', 'pipeline', 'app', '--namespace', TEAM);
      for (const reason of ['RevisionApplied', 'BuildStarted', 'BuildSucceeded'])
        expect(described).toContain(reason);
    });
  }, 600_000);
});

describe('a check that fails', () => {
  test('shows its error message on the resource and in an Event, and its Job does not fail', async () => {
    const config =
      'resource "git" "lost" {\n  check_interval = "0 0 1 1 *"\n  params {\n' +
      `    url = "http://git.${FORGE}.svc/app.git"\n    name = "app"\n    branch = "lost"\n  }\n}\n`;
    await createPipeline(TEAM, 'lost', config);
    const cronJob = await eventually(async () => {
      const [found] = await list('cronjobs', '--namespace', TEAM, '-l', 'millrace.dev/pipeline=lost');
      expect(found?.spec).toMatchObject({ schedule: '0 0 1 1 *', suspend: false });
      return found;
    });
    await kubectl(
      'create',
      'job',
      '--namespace',
      TEAM,
      `--from=cronjob/${cronJob?.metadata.name}`,
      'in-vain',
    );
    await kubectl('wait', '--for=condition=complete', 'job/in-vain', '--namespace', TEAM, '--timeout=9m');
    await eventually(async () => {
      const resource = await pipelineApi(TEAM, 'lost').resource('git.lost');
      expect(JSON.stringify(resource)).toContain("the repository has no branch 'lost'");
      expect(await kubectl('describe', 'pipeline', 'lost', '--namespace', TEAM)).toContain('CheckFailed');
    });
  }, 600_000);
});
