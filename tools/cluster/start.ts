import { Resolver } from 'node:dns/promises';
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiAddress, clusterDomain, dnsAddress, nodeName, ports } from './addresses.ts';
import { conditionOf, dig } from './api.ts';
import { explained } from './explain.ts';
import { binaryPath, type Folders } from './folders.ts';
import { ensureImages } from './images.ts';
import { prepareMachine, recordMachine } from './machine.ts';
import {
  containerdSocket,
  readResolvers,
  snapshotter,
  upstreamServers,
  writeNodeFiles,
} from './node-config.ts';
import { clusterObjects } from './objects.ts';
import { partNames, partOf, volumesFolder, type PartName } from './parts.ts';
import { adminKubeconfig, ensurePki } from './pki.ts';
import { logFile, processOf, startPart, waitUntilReady } from './processes.ts';
import { run } from './run.ts';

/** Fixed ports that a part listens on. containerd and the volume provisioner have none. */
const portsOf: Partial<Readonly<Record<PartName, readonly (keyof typeof ports)[]>>> = {
  etcd: ['etcd', 'etcdPeer', 'etcdMetrics'],
  'kube-apiserver': ['apiServer'],
  'kube-controller-manager': ['controllerManager'],
  'kube-scheduler': ['scheduler'],
  kubelet: ['kubelet', 'kubeletHealth'],
  'kube-proxy': ['proxyHealth', 'proxyMetrics'],
};

const secondsForCluster = 600;

/**
 * Starts the parts that do not run, and waits until Pods can run and names resolve. Returns what was started.
 */
export async function startCluster(folders: Folders): Promise<string[]> {
  mkdirSync(folders.state, { recursive: true, mode: 0o711 });
  mkdirSync(volumesFolder(folders), { recursive: true });
  recordMachine(folders);
  await ensurePki(folders);
  await prepareMachine(folders);
  writeNodeFiles(folders);
  linkCommands(folders);
  const images = ensureImages(folders);
  const first = await startTogether(folders, ['etcd', 'containerd']);
  const loading = images.then((files) => (first.includes('containerd') ? loadImages(folders, files) : []));
  const second = await startTogether(folders, ['kube-apiserver']);
  await Promise.all([loading, applyObjects(folders)]);
  const since = new Date();
  const third = await startTogether(folders, partNames.slice(3));
  // If the kubelet ran already, any report of the node counts, however old it is.
  await waitForCluster(folders, third.includes('kubelet') ? since : new Date(0));
  return [...first, ...second, ...third];
}

/** Starts one part and waits until it is ready. Returns whether it was started. */
export async function startOne(folders: Folders, name: string): Promise<boolean> {
  const part = partOf(folders, name);
  if (!existsSync(adminKubeconfig(folders))) {
    throw explained('There is no cluster yet; run `up` first.');
  }
  const names = partNames.filter((partName) => partName === part.name);
  return (await startTogether(folders, names)).length > 0;
}

/** Imports image files (docker-archive or OCI). Returns the images' names. */
export async function loadImages(folders: Folders, files: readonly string[]): Promise<string[]> {
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) {
    throw explained(`There is no file ${missing}.`);
  }
  const base = ['--address', containerdSocket(folders), '--namespace', 'k8s.io', 'images', 'import'];
  const names: string[] = [];
  for (const file of files) {
    const output = await run(binaryPath(folders, 'ctr'), [
      ...base,
      '--snapshotter',
      snapshotter(folders),
      file,
    ]);
    names.push(...output.split('\n').flatMap((line) => /^(?:unpacking )?(\S+[:@]\S+)/.exec(line)?.[1] ?? []));
  }
  return [...new Set(names)];
}

async function startTogether(folders: Folders, names: readonly PartName[]): Promise<PartName[]> {
  const parts = names.map((name) => ({ name, part: partOf(folders, name) }));
  const started: PartName[] = [];
  for (const { name, part } of parts) {
    if (processOf(folders, part) === undefined) {
      await requirePorts(folders, name);
    }
    if (startPart(folders, part)) {
      started.push(name);
    }
  }
  await Promise.all(parts.map(({ part }) => waitUntilReady(folders, part)));
  return started;
}

async function requirePorts(folders: Folders, name: PartName): Promise<void> {
  for (const key of portsOf[name] ?? []) {
    const { address, port } = ports[key];
    if (!(await isFree(address, port))) {
      throw explained(
        `${name} cannot start because another program listens on ${address}:${port}; ` +
          `\`ss -ltnp 'sport = :${port}'\` names it (log: ${logFile(folders, name)}).`,
      );
    }
  }
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

async function applyObjects(folders: Folders): Promise<void> {
  const objects = JSON.stringify(clusterObjects(upstreamServers(readResolvers())));
  const args = ['apply', '--server-side', '--force-conflicts', '--field-manager=millrace-cluster', '-f', '-'];
  await run(binaryPath(folders, 'kubectl'), ['--kubeconfig', adminKubeconfig(folders), ...args], {
    input: objects,
  });
}

/**
 * Waits for a report after `since` that the node is ready, because a status in the API server may be older
 * than the last stop. Then waits until names resolve.
 */
async function waitForCluster(folders: Folders, since: Date): Promise<void> {
  const end = performance.now() + secondsForCluster * 1000;
  const checks = [
    { name: 'The node', check: () => nodeIsReady(folders, since) },
    { name: "The cluster's DNS server", check: namesResolve },
  ];
  for (const { name, check } of checks) {
    while (!(await check())) {
      if (performance.now() > end) {
        throw explained(
          `${name} was not ready after ${secondsForCluster} s; see \`kubectl get pods,events -A\` ` +
            `and ${logFile(folders, 'kubelet')}.`,
        );
      }
      await sleep(100);
    }
  }
}

async function nodeIsReady(folders: Folders, since: Date): Promise<boolean> {
  const ready = await conditionOf(folders, `/api/v1/nodes/${nodeName}`, 'Ready');
  const reported = dig(ready, 'lastHeartbeatTime');
  // Times of the API server have no fractions of a second.
  return (
    dig(ready, 'status') === 'True' &&
    typeof reported === 'string' &&
    Date.parse(reported) > since.getTime() - 1000
  );
}

/** Resolves a name like a Pod does, through the Service, which proves that Pods, Services and DNS work. */
async function namesResolve(): Promise<boolean> {
  const resolver = new Resolver({ timeout: 1000, tries: 1 });
  resolver.setServers([dnsAddress]);
  try {
    return (await resolver.resolve4(`kubernetes.default.svc.${clusterDomain}`)).includes(apiAddress);
  } catch {
    return false;
  }
}

/** Links the commands for people into a folder for their PATH. Replaces each link atomically. */
function linkCommands(folders: Folders): void {
  const folder = commandsFolder(folders);
  mkdirSync(folder, { recursive: true });
  for (const command of ['kubectl', 'helm']) {
    const temporary = join(folder, `.${command}`);
    rmSync(temporary, { force: true });
    symlinkSync(binaryPath(folders, command), temporary);
    renameSync(temporary, join(folder, command));
  }
}

/** The folder with kubectl and helm. */
export function commandsFolder(folders: Folders): string {
  return join(folders.state, 'bin');
}
