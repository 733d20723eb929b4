import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildReport } from '#e2e/support/build-report.ts';
import { isEmbedded } from '#e2e/support/embedded.ts';
import { eventually } from '#e2e/support/eventually.ts';
import { buildEnded, createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { created, pipelineApi, request } from '#e2e/support/gateway.ts';
import { startGitServer } from '#e2e/support/git-server.ts';
import { apply, kubectl } from '#e2e/support/kubectl.ts';
import { OutsideServer, SIGNING_KEY } from '#e2e/support/outside-server.ts';
import { pushFiles } from '#e2e/support/push-files.ts';
import { list } from '#e2e/support/read-objects.ts';
import { DOCS, SHOP, withStandIns } from '#e2e/support/stand-ins.ts';
import { golden } from '#testing/jest/golden-file.ts';
import { RELEASE } from '#tools/chart/install.ts';
import type { ReachableService } from '#tools/demo/reach.ts';

/*
 * The sample pipeline with every construct of the language is applied and built by real Pods. A golden file
 * has the records and logs of its builds, the messages that it sends, and its Events.
 */

const TEAM = teamName('e2e-all');
const FORGE = `${TEAM}-forge`;
const GOLDEN = join(import.meta.dirname, 'testdata/everything.txt');
const TOKENS = ['secret', `${RELEASE.name}-tokens`, '--namespace', RELEASE.namespace];

const REGISTRY_TOKEN = 'a-token-of-the-registry';

const server = new OutsideServer();
const api = pipelineApi(TEAM, 'everything');
/** API tokens of the two people who approve the release. */
const voters = ['ann', 'ben'].map((name) => {
  const token = randomBytes(20).toString('hex');
  return { name: `${TEAM}-${name}`, token, hash: createHash('sha256').update(token).digest('hex') };
});
let forge: ReachableService;
let outside = '';

async function changeTokens(change: (tokens: Map<string, object>) => void): Promise<void> {
  const text = await kubectl('get', ...TOKENS, '-o', 'jsonpath={.data.tokens\\.json}');
  const parsed: Record<string, object> = JSON.parse(Buffer.from(text, 'base64').toString());
  const tokens = new Map(Object.entries(parsed));
  change(tokens);
  const patch = { stringData: { 'tokens.json': JSON.stringify(Object.fromEntries(tokens)) } };
  await kubectl('patch', ...TOKENS, '--type=merge', '--patch', JSON.stringify(patch));
}

async function startForge(): Promise<void> {
  forge = await startGitServer(FORGE, ['shop', 'docs']);
  await pushFiles(`${forge.url}/shop.git`, SHOP);
  await pushFiles(`${forge.url}/docs.git`, DOCS);
}

const createSecret = (name: string, values: Record<string, string>): Promise<string> => {
  const metadata = { name, namespace: TEAM, labels: { 'millrace.dev/usable': 'true' } };
  return apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: values });
};

const worker = (tag: string): object => ({ tag, nodeSelector: {} });

beforeAll(async () => {
  outside = await server.open();
  await Promise.all([
    startForge(),
    createTeam(TEAM, {
      secretRef: { name: 'team' },
      workers: [worker('large'), worker('internal-network')],
    }),
  ]);
  await createSecret('team', { CHAT_WEBHOOK: `http://${outside}/chat` });
  await createSecret('registry', { token: REGISTRY_TOKEN });
  await changeTokens((tokens) => {
    for (const { name, hash } of voters) tokens.set(hash, { user: name, team: '*', role: 'admin' });
  });
  const text = withStandIns(readFileSync('config/samples/everything.hcl', 'utf8'), {
    forge: forge.url,
    server: outside,
  });
  await createPipeline(TEAM, 'everything', text, { vars: { notify_success: 'true' } });
}, 600_000);

afterAll(async () => {
  await changeTokens((tokens) => {
    for (const { hash } of voters) tokens.delete(hash);
  });
  await deleteTeam(TEAM);
  await kubectl('delete', 'namespace', FORGE, '--wait=false');
  forge.close();
  server.close();
}, 600_000);

/** Replaces names and numbers that differ from run to run, and removes the progress that curl shows. */
const normalised = (text: string): string =>
  text
    .replaceAll(TEAM, 'TEAM')
    .replaceAll(forge.url, 'https://git.example.org')
    .replaceAll(outside, 'outside')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\d+ KiB/g, 'N KiB')
    .replaceAll(/date: .+/g, 'date: TIME')
    .replaceAll(/\d+ \w+ ago/g, 'TIME ago')
    .split('\n')
    .filter((line) => !/% Total|Dload|--:--:--/.test(line))
    .join('\n');

const reports: string[] = [];

/** Waits for the end of a build, adds its report to those of the golden file, and returns its status. */
async function report(job: string, number = '1'): Promise<string> {
  const { status } = await buildEnded(TEAM, 'everything', job, number);
  await untilEvent(job, number);
  reports.push(await buildReport(TEAM, 'everything', job, number));
  return status;
}

async function trigger(job: string, inputs: object): Promise<string> {
  return created(await api.post(`jobs/${job}/trigger`, { inputs })).number;
}

/**
 * The Events of the Pipeline, except those of starts and waits. The operator derives Events from the statuses
 * that it writes at intervals, so it may miss such short states.
 */
async function eventsOfPipeline(): Promise<string[]> {
  const events = await list('events.v1.events.k8s.io', '--namespace', TEAM);
  const found = events.flatMap((event) => {
    const { reason, note, regarding } = Object.assign(
      { reason: '', note: '', regarding: { kind: '' } },
      event,
    );
    return regarding.kind === 'Pipeline' ? [normalised(`${reason}: ${note}`)] : [];
  });
  return [...new Set(found)].filter((event) => !/ waits: | started\.$/.test(event)).toSorted();
}

/**
 * Waits for an Event of a build other than its start or a wait. The statuses from which the operator derives
 * Events have only the last build of each job, so a later build could hide this one.
 */
const untilEvent = (job: string, number: string): Promise<void> =>
  eventually(async () => {
    const events = await eventsOfPipeline();
    expect(events).toContainEqual(expect.stringContaining(`: Build ${number} of job ${job} `));
  });

const embedded = isEmbedded ? describe : describe.skip;

embedded('the pipeline of every construct', () => {
  test('runs all jobs that a commit leads to, without a person', async () => {
    for (const resource of ['clock.nightly', 'image.base', 'git.docs', 'git.shop'])
      expect((await api.check(resource)).status).toBe(202);
    const jobs = [
      'docs',
      ...['cart', 'catalog', 'payment'].map((service) => `unit--${service}`),
      ...['16-api', '16-web', '17-api', '17-web'].map((suite) => `integration--${suite}`),
      'build',
      'deploy',
      'smoke--america',
      'smoke--europe',
    ];
    const statuses: string[] = [];
    for (const job of jobs) statuses.push(await report(job));
    expect(statuses).toEqual([...jobs.slice(1).map(() => 'succeeded'), 'warning']);
  }, 600_000);

  test('runs the steps that the inputs of a person choose, and undoes a deployment that fails', async () => {
    expect(await report('deploy', await trigger('deploy', { dry_run: true }))).toBe('succeeded');
    const chosen = { dry_run: false, strategy: 'blue-green' };
    expect(await report('deploy', await trigger('deploy', chosen))).toBe('failed');
    expect((await api.post('jobs/deploy/trigger', { inputs: { strategy: 'by-hand' } })).status).toBe(400);
  }, 600_000);

  test('runs its job release once two people have approved the build', async () => {
    const number = await trigger('release', { versions: ['android', 'ios'] });
    expect((await api.post(`jobs/release/builds/${number}/approve`)).status).toBe(409);
    // A separate Pod sends the message that asks for approval, and sends nothing once somebody has voted.
    await eventually(async () => {
      const { steps = [] } = await api.build('release', number);
      expect(steps[0]).toMatchObject({ kind: 'notify', status: 'succeeded' });
    });
    await untilEvent('release', number);
    for (const { token } of voters) {
      const path = `${api.path}/jobs/release/builds/${number}/approve`;
      expect((await request('POST', path, { authorization: `Bearer ${token}` })).status).toBe(200);
    }
    expect(await report('release', number)).toBe('succeeded');
  }, 600_000);

  test('has the records, logs, messages and Events of its golden file', async () => {
    const events = await eventually(async () => {
      const found = await eventsOfPipeline();
      expect(found).toContain('BuildSucceeded: Build 1 of job release succeeded.');
      return found;
    });
    const text = [
      ...reports.map(normalised),
      `Messages:\n${server.messages
        .map((message) => `${normalised(message)}\n`)
        .toSorted()
        .join('')}`,
      `Events:\n${events.map((event) => `${event}\n`).join('')}`,
    ].join('\n');
    expect(text).toBe(golden(GOLDEN, text));
    for (const value of [SIGNING_KEY, REGISTRY_TOKEN]) expect(text).not.toContain(value);
  }, 600_000);
});
