import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabasePool } from 'slonik';
import { parse } from 'yaml';
import { rows } from '#adapters/database/connection/pool.ts';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type ApiKind } from '#adapters/kubernetes/api/kinds.ts';

/* Sets up an installation on a separate API server and fills it with pipelines. */

export const NAMESPACE = 'millrace-system';
export const RELEASE_NAME = 'millrace';
/** The released program; `make dist` builds it. */
export const RELEASED_PROGRAM = new URL('../../dist/millrace.js', import.meta.url).pathname;
const TEAMS = 10;
const CONCURRENT_APPLIES = 8;
const MAX_LOAD_MS = 600_000;
const DEFINITIONS: ApiKind<object> = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

interface NamedObject {
  metadata?: { name?: string; namespace?: string };
}

/** The environment that the operator and the gateway share. */
export function commonEnvironment(kubeconfig: string, databaseUrl: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    KUBECONFIG: kubeconfig,
    MILLRACE_DATABASE_URL: databaseUrl,
    MILLRACE_NAMESPACE: NAMESPACE,
    MILLRACE_RELEASE: RELEASE_NAME,
    MILLRACE_METRICS_LISTEN: '127.0.0.1:0',
    MILLRACE_LOG_LEVEL: 'warn',
  };
}

/** The additional environment of the operator. */
export function operatorEnvironment(internalUrl: string): NodeJS.ProcessEnv {
  return {
    MILLRACE_POD_NAME: 'operator-0',
    MILLRACE_IMAGE: 'localhost/millrace:1',
    MILLRACE_INTERNAL_URL: internalUrl,
  };
}

/** Creates the custom resource definitions, the namespace of the release and `TEAMS` teams. */
export async function prepareCluster(client: ApiClient): Promise<void> {
  const folder = new URL('../../crds/', import.meta.url);
  for (const file of readdirSync(folder)) {
    const definition: object = parse(readFileSync(new URL(file, folder), 'utf8'));
    orThrow(await client.create(DEFINITIONS, definition), `making ${file}`);
  }
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  orThrow(await client.create(KINDS.namespaces, namespace), 'making the namespace');
  await sleep(2000);
  for (let team = 0; team < TEAMS; team += 1) {
    const metadata = { name: `team-${team}` };
    const object = { apiVersion: 'millrace.dev/v1alpha1', kind: 'Team', metadata, spec: {} };
    orThrow(await client.create<NamedObject>(KINDS.teams, object), 'making a team');
  }
}

/** Team and name of the pipeline with this number. */
export function pipelineName(number: number): { team: string; pipeline: string } {
  return { team: `team-${number % TEAMS}`, pipeline: `pipeline-${number}` };
}

/** Creates `count` Pipelines, a few at a time, as a deployment tool would. Numbers start at `first`. */
export async function applyPipelines(
  client: ApiClient,
  { first = 0, count }: { first?: number; count: number },
  config: (number: number) => string,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => first + index).values();
  const applyRemaining = async (): Promise<void> => {
    for (const number of numbers) await applyPipeline(client, number, config(number));
  };
  await Promise.all(Array.from({ length: CONCURRENT_APPLIES }, applyRemaining));
}

async function applyPipeline(client: ApiClient, number: number, config: string): Promise<void> {
  const { team, pipeline } = pipelineName(number);
  const metadata = { namespace: team, name: pipeline };
  const object = { apiVersion: 'millrace.dev/v1alpha1', kind: 'Pipeline', metadata, spec: { config } };
  for (let tries = 0; ; tries += 1) {
    const answer = await client.create<NamedObject>(KINDS.pipelines, object);
    if (answer.ok) return;
    // The team's namespace may not exist yet, so every failure is retried for about 20 s.
    if (tries > 100) throw new Error(answer.message);
    await sleep(200);
  }
}

/**
 * Waits until the database has at least this many pipelines, and all teams. Throws once `ended` is true, and
 * after ten minutes.
 */
export async function untilLoaded(pool: DatabasePool, expected: number, ended: () => boolean): Promise<void> {
  const limit = Date.now() + MAX_LOAD_MS;
  for (;;) {
    const ready = await pool.oneFirst(rows<{ count: number }>()`
      SELECT count(*) FROM pipelines WHERE revision > 0`);
    const teams = await pool.oneFirst(rows<{ count: number }>()`SELECT count(*) FROM teams`);
    if (ready >= expected && teams >= TEAMS) return;
    if (ended()) throw new Error('the operator has ended');
    if (Date.now() > limit)
      throw new Error(`${ready} of ${expected} pipelines are there after ${MAX_LOAD_MS / 1000} s`);
    await sleep(250);
  }
}

/** A job in HCL that runs one task, after a get of the resource if one is given: `"git" "r0"`. */
export function taskJob(name: string, resource?: string): string {
  const get = resource === undefined ? '' : `  get ${resource} {}\n`;
  const task = '  task "t" {\n    run "shell" {\n      cmd = "true"\n    }\n  }\n';
  return `job "${name}" {\n${get}${task}}\n`;
}

/** Resources of type git in HCL with this check interval, each with a job that gets it. */
export function gitPipeline(
  number: number,
  { resources, every }: { resources: number; every: string },
): string {
  const names = Array.from({ length: resources }, (_, n) => `r${n}`);
  const texts = names.map(
    (name) =>
      `resource "git" "${name}" {\n  check_interval = "@every ${every}"\n  params {\n` +
      `    url  = "https://git.example.test/${number}/${name}.git"\n    name = "${name}"\n  }\n}\n`,
  );
  return [...texts, ...names.map((name) => taskJob(`job-${name}`, `"git" "${name}"`))].join('');
}
