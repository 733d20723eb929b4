import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { V1Node } from '@kubernetes/client-node';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import type { ApiKind, Wire } from '#adapters/kubernetes/api/kinds.ts';
import { startApiServer, type OwnApiServer } from '#testing/kubernetes/api-server.ts';
import { binaryPath, foldersFrom } from '#tools/cluster/folders.ts';
import { kwokConfiguration, type NodeTimes } from './stages.ts';

const NODES = 4;
const NODE: ApiKind<Wire<V1Node>> = { apiVersion: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
/** The Kubernetes controllers that run: those that act on the nodes and on objects that Millrace creates. */
const CONTROLLERS = [
  'node-lifecycle-controller',
  'serviceaccount-controller',
  'garbage-collector-controller',
  'cronjob-controller',
  'job-controller',
];
const READY_MS = 30_000;

/** A separate control plane with simulated nodes. */
export interface SimulatedCluster {
  server: OwnApiServer;
  kwok: ChildProcess;
}

/**
 * Writes kwok's configuration and log into `folder`. Resolves once all nodes are ready. To end the cluster,
 * the caller stops the server and kills kwok.
 */
export async function startSimulatedCluster(folder: string, times: NodeTimes): Promise<SimulatedCluster> {
  const main = new URL('../../../tools/cluster/main.ts', import.meta.url).pathname;
  await promisify(execFile)(process.execPath, [main, 'build', 'kwok']);
  const server = await startApiServer({ durable: true });
  const connection = server.connect();
  let kwok: ChildProcess | undefined;
  try {
    await server.startControllers(...CONTROLLERS);
    await server.startScheduler();
    const configuration = join(folder, 'kwok.yaml');
    await writeFile(configuration, kwokConfiguration(times));
    const program = binaryPath(foldersFrom(process.env), 'kwok');
    const args = ['--v=ERROR', '--kubeconfig', server.kubeconfig, '--config', configuration];
    const log = openSync(join(folder, 'kwok.log'), 'a');
    kwok = spawn(program, args, { stdio: ['ignore', log, log] });
    closeSync(log);
    await makeNodes(new ApiClient(connection));
    return { server, kwok };
  } catch (error) {
    if (kwok !== undefined) console.error(await readFile(join(folder, 'kwok.log'), 'utf8'));
    kwok?.kill();
    await server.stop();
    throw error;
  } finally {
    await connection.close();
  }
}

async function makeNodes(client: ApiClient): Promise<void> {
  for (let number = 0; number < NODES; number += 1) {
    const metadata = { name: `simulated-${number}` };
    orThrow(await client.create(NODE, { apiVersion: 'v1', kind: 'Node', metadata }), 'making a node');
  }
  const limit = Date.now() + READY_MS;
  while (!(await allReady(client))) {
    if (Date.now() > limit) throw new Error(`The simulated nodes are not ready after ${READY_MS / 1000} s.`);
    await sleep(250);
  }
}

/** Whether all nodes are ready and no taint keeps Pods from them. */
async function allReady(client: ApiClient): Promise<boolean> {
  const nodes: Wire<V1Node>[] = [];
  orThrow(await client.list(NODE, {}, (page) => nodes.push(...page)), 'listing the nodes');
  return nodes.every(
    ({ spec, status }) =>
      (spec?.taints ?? []).length === 0 &&
      status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True'),
  );
}
