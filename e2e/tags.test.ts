import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '#e2e/support/eventually.ts';
import { buildEnded, createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { created, data, pipelineApi } from '#e2e/support/gateway.ts';
import { apply, condition, kubectl } from '#e2e/support/kubectl.ts';
import { get, list } from '#e2e/support/read-objects.ts';

const TEAM = teamName('e2e-tags');
/** Unique to this run: no node has its label from an earlier run. */
const GPU = `gpu-${TEAM}`;
const LABEL = `millrace.dev/tag-${GPU}`;

const taggedJob = (name: string, tag: string): string => `
job "${name}" {
  tags = ["${tag}"]
  task "run" {
    run "shell" {
      cmd = "true"
    }
  }
}
`;

const config = `
resource_type "list" {
  check "shell" {
    cmd = "echo '[{\\"n\\": \\"1\\"}]'"
  }
}
resource "list" "far" {
  check_interval = "@every 1h"
  tags           = ["elsewhere"]
}
${taggedJob('train', GPU)}
${taggedJob('build', 'big')}
${taggedJob('secret', 'elsewhere')}
`;

const BIG = { tag: 'big', nodeSelector: {}, resources: { requests: { memory: '64Mi' } } };

beforeAll(async () => {
  await createTeam(TEAM, { allowedTags: [GPU, 'big'], workers: [BIG] });
  await createPipeline(TEAM, 'tagged', config);
}, 600_000);

afterAll(async () => {
  await kubectl('label', 'nodes', '--all', `${LABEL}-`);
  await deleteTeam(TEAM);
}, 600_000);

const api = pipelineApi(TEAM, 'tagged');

interface Reason {
  code: string;
  message: string;
}

async function reasonsOf(job: string): Promise<Reason[]> {
  const { builds } = await data<{ builds: { job: string; reasons: Reason[] }[] }>(
    'GET',
    `${api.path}/waiting`,
  );
  return builds.filter((build) => build.job === job).flatMap(({ reasons }) => reasons);
}

/** The number of nodes that fit the team's builds, by tag. */
async function nodesByTag(): Promise<Record<string, number>> {
  const settings = await data<{ workers?: { tag?: string; nodes: number }[] }>(
    'GET',
    `/teams/${TEAM}/settings`,
  );
  const { workers = [] } = settings;
  return Object.fromEntries(workers.map(({ tag = 'none', nodes }) => [tag, nodes]));
}

test('a build reports that no node has its tag, and runs as soon as a node has the label', async () => {
  const { number } = created(await api.trigger('train'));
  await eventually(async () => {
    expect(await reasonsOf('train')).toMatchObject([
      { code: 'NoNodeForTags', message: expect.stringContaining(`the tag ${GPU}`) },
    ]);
  });
  await eventually(async () => expect(await nodesByTag()).toEqual({ none: 1, [GPU]: 0, big: 1 }));
  const [node] = await list('nodes');
  await kubectl('label', 'node', node?.metadata.name ?? '', `${LABEL}=true`);
  expect(await buildEnded(TEAM, 'tagged', 'train', number)).toMatchObject({ status: 'succeeded' });
  await eventually(async () => expect(await nodesByTag()).toMatchObject({ [GPU]: 1 }));
}, 600_000);

test('a tag that the Team maps to a node selector needs no label on a node', async () => {
  const { number } = created(await api.trigger('build'));
  expect(await buildEnded(TEAM, 'tagged', 'build', number)).toMatchObject({ status: 'succeeded' });
}, 600_000);

test('a job or check with a forbidden tag gets no Pod until the Team allows the tag, and says why', async () => {
  const why = `Team ${TEAM} does not allow the tag elsewhere; its spec.allowedTags has ${GPU} and big.`;
  const pipeline = await get('pipeline', 'tagged', '--namespace', TEAM);
  expect(condition(pipeline, 'Ready').status).toBe('True');
  expect(condition(pipeline, 'TagsRefused')).toMatchObject({
    status: 'True',
    reason: 'TagNotAllowed',
    message: `job secret: ${why}\ncheck of list.far: ${why}`,
  });
  const { number } = created(await api.trigger('secret'));
  await eventually(async () => {
    expect(await reasonsOf('secret')).toEqual([{ code: 'TagNotAllowed', message: why }]);
    const { status } = await get('pipeline', 'tagged', '--namespace', TEAM);
    expect(status?.['failingChecks']).toEqual([
      { resource: 'list.far', message: `No Pod could be created: ${why}` },
    ]);
  });
  expect(await list('pods', '--namespace', TEAM, '--selector', 'millrace.dev/job=secret')).toEqual([]);
  expect(await list('cronjobs', '--namespace', TEAM)).toEqual([]);

  const workers = [BIG, { tag: 'elsewhere', nodeSelector: {} }];
  const spec = { allowedTags: [GPU, 'big', 'elsewhere'], workers };
  await apply({ apiVersion: 'millrace.dev/v1alpha1', kind: 'Team', metadata: { name: TEAM }, spec });
  expect(await buildEnded(TEAM, 'tagged', 'secret', number)).toMatchObject({ status: 'succeeded' });
  await eventually(async () => {
    const { status } = await get('pipeline', 'tagged', '--namespace', TEAM);
    expect(status?.conditions?.map(({ type }) => type)).not.toContain('TagsRefused');
    expect(await list('cronjobs', '--namespace', TEAM)).toHaveLength(1);
  });
  expect((await api.check('list.far')).status).toBeLessThan(300);
  await eventually(async () => expect(await api.versions('list.far')).toHaveLength(1));
}, 600_000);
