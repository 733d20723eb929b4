import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runOrThrow } from '#e2e/support/command.ts';
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
import { created, pipelineApi, requestOnce } from '#e2e/support/gateway.ts';
import { apply, condition } from '#e2e/support/kubectl.ts';
import { get } from '#e2e/support/read-objects.ts';
import { restartedSince, runningContainers } from '#e2e/support/restarts.ts';
import { maxStart, medianStart } from '#e2e/support/start-times.ts';

/*
 * Pipelines that try to crash operators and gateways, in a release with the chart's memory limits. No
 * container of Millrace may restart, and builds of another team must start as fast as on an idle
 * installation.
 */

const HOSTILE = teamName('e2e-hostile');
const GOOD = teamName('e2e-good');
const good = pipelineApi(GOOD, 'single');
const WIDE = ['wide-1', 'wide-2', 'wide-3', 'wide-4', 'wide-5', 'wide-6', 'wide-7', 'wide-8', 'wide-9'];

/** As many pipelines as the operator compiles at the same time. */
const DOUBLINGS = ['doubling-1', 'doubling-2'];

/**
 * Limits for a team on a small node. Pods that do not fit wait for other Pods to end, and would delay other
 * teams.
 */
const LIMITS = { limits: { runningBuilds: 8, runningChecks: 4 } };

/** A text within the size limit that names 4,000 sources. */
const SOURCES = Array.from(
  { length: 4000 },
  (_, index) => `resource_type "t${index}" {\n  source = "https://a.example/${index}"\n}`,
).join('\n');

/** A short text with a large definition: `instances` jobs that each repeat a script of 28 KiB. */
const wide = (instances: number): string => `
job "work" {
  for_each = toset([for i in range(${instances}) : tostring(i)])
  task "run" {
    run "shell" {
      cmd = "true # ${'x'.repeat(28 * 1024)}"
    }
  }
}
`;

/** Doubles a string forty times. */
const DOUBLING = oneJob(
  `\${${'[for x in ['.repeat(40)}"${'x'.repeat(1000)}"${'] : "${x}${x}"][0]'.repeat(40)}}`,
);

/** 2,000 jobs, each triggered by each of 100 versions. */
const FLOOD = `
resource_type "list" {
  check "shell" {
    cmd = "seq 100 | jq --slurp 'map({n: .})'"
  }
  pull "shell" {
    cmd = "true"
  }
}
resource "list" "long" {
  check_interval = "@every 1h"
}
${['a', 'b']
  .map(
    (name) => `job "${name}" {
  for_each = toset([for i in range(1000) : tostring(i)])
  get "list" "long" {
    trigger = true
  }
}`,
  )
  .join('\n')}
`;

/** Prints one line of 1 MiB. */
const LINE = 'head --bytes 786432 /dev/urandom | base64 --wrap=0; echo; echo after the line';

/**
 * Applies a Pipeline whose text is in a ConfigMap. The admission webhook does not read ConfigMaps, so the
 * operator compiles the text.
 */
async function applyPastWebhook(name: string, config: string): Promise<void> {
  const metadata = { name, namespace: HOSTILE };
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { config } };
  await runOrThrow('kubectl', ['apply', '--server-side', '-f', '-'], { input: JSON.stringify(map) });
  const configFrom = { configMapKeyRef: { name, key: 'config' } };
  await apply({ apiVersion: 'millrace.dev/v1alpha1', kind: 'Pipeline', metadata, spec: { configFrom } });
}

/** The message of the Ready condition once its reason is InvalidConfig. */
const refusal = (name: string): Promise<string> =>
  eventually(async () => {
    const { reason, message } = condition(await get('pipeline', name, '--namespace', HOSTILE), 'Ready');
    if (reason !== 'InvalidConfig') throw new Error(`pipeline ${name}: ${reason}: ${message}`);
    return message;
  });

beforeAll(async () => {
  await Promise.all([createTeam(HOSTILE, LIMITS), createTeam(GOOD)]);
  await createPipeline(GOOD, 'single', oneJob('true'));
}, 600_000);
afterAll(async () => {
  await Promise.all([deleteTeam(HOSTILE), deleteTeam(GOOD)]);
}, 600_000);

test('hostile pipelines of one team restart no container of Millrace and delay no other team', async () => {
  const before = await eventually(runningContainers);
  expect(before.length).toBeGreaterThan(6);
  const alone = await medianStart(good);

  // Triggered before the flood, because the team's limit lets only eight builds run, the oldest first.
  await createPipeline(HOSTILE, 'line', oneJob(LINE));
  const line = pipelineApi(HOSTILE, 'line');
  const { number } = created(await line.trigger('work'));
  await Promise.all([
    applyPastWebhook('sources', SOURCES),
    applyPastWebhook('too-wide', wide(1000)),
    ...DOUBLINGS.map((name) => applyPastWebhook(name, DOUBLING)),
    ...WIDE.map((name) => applyPastWebhook(name, wide(130))),
    apply(pipelineManifest(HOSTILE, 'flood', FLOOD)),
  ]);

  expect(await refusal('sources')).toContain('names 4000 sources to fetch; at most 50 are allowed');
  expect(await refusal('too-wide')).toContain('at most 4 MiB are allowed');
  for (const name of DOUBLINGS)
    expect(await refusal(name)).toMatch(/took more memory than is allowed|took longer than/);
  await eventually(async () => {
    const ready = condition(await get('pipeline', 'flood', '--namespace', HOSTILE), 'Ready');
    expect(ready).toMatchObject({ status: 'True' });
  });
  const flood = pipelineApi(HOSTILE, 'flood');
  await flood.check('list.long');
  for (const name of WIDE)
    await eventually(async () => created(await pipelineApi(HOSTILE, name).trigger('work--1')));
  expect(await buildEnded(HOSTILE, 'line', 'work', number)).toMatchObject({ status: 'succeeded' });
  const page = `${line.path}/jobs/work/builds/${number}`;
  const pages = await Promise.all(
    Array.from({ length: 8 }, () => requestOnce('GET', page, { accept: 'text/html' })),
  );
  expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200));
  expect(await line.log('work', number)).toMatch(/^[\w+/=]{1048576}\nafter the line\n/m);

  await eventually(async () => {
    expect(await flood.versions('list.long')).not.toEqual([]);
    expect(await flood.builds('a--0')).not.toEqual([]);
  });
  const during = await medianStart(good);
  console.log(
    `another team's build starts after ${alone} ms alone, after ${during} ms beside hostile pipelines`,
  );
  expect(await restartedSince(before)).toEqual([]);
  expect(during).toBeLessThanOrEqual(maxStart(alone));
}, 600_000);
