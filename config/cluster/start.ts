import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeName, ports } from './addresses.ts';
import { hasCondition } from './api.ts';
import { explain } from './explain.ts';
import type { Folders } from './folders.ts';
import { binaryPath } from './folders.ts';
import { ensureImages } from './images.ts';
import { noteMachine, prepareMachine } from './machine.ts';
import {
  containerdSocket,
  readResolvers,
  snapshotter,
  upstreamServers,
  writeNodeFiles,
} from './node-config.ts';
import { clusterObjects } from './objects.ts';
import type { PartName } from './parts.ts';
import { partNames, partOf, volumesFolder } from './parts.ts';
import { adminKubeconfig, ensurePki } from './pki.ts';
import { logFile, processOf, startPart, waitUntilReady } from './processes.ts';
import { run } from './run.ts';

/** Which ports a part listens on; containerd and the volumes' maker have none. */
const portsOf: Partial<Readonly<Record<PartName, readonly (keyof typeof ports)[]>>> = {
  etcd: ['etcd', 'etcdPeer', 'etcdMetrics'],
  'kube-apiserver': ['apiServer'],
  'kube-controller-manager': ['controllerManager'],
  'kube-scheduler': ['scheduler'],
  kubelet: ['kubelet', 'kubeletHealth'],
  'kube-proxy': ['proxyHealth', 'proxyMetrics'],
};

const secondsForCluster = 120;

/** Starts what does not run, waits until Pods can run and names resolve, and answers what was started. */
export async function startCluster(folders: Folders): Promise<string[]> {
  mkdirSync(folders.state, { recursive: true, mode: 0o711 });
  mkdirSync(volumesFolder(folders), { recursive: true });
  noteMachine(folders);
  await ensurePki(folders);
  await prepareMachine(folders);
  writeNodeFiles(folders);
  linkCommands(folders);
  const images = ensureImages(folders);
  const first = await startTogether(folders, ['etcd', 'containerd']);
  const loading = images.then((files) => (first.includes('containerd') ? loadImages(folders, files) : []));
  const second = await startTogether(folders, ['kube-apiserver']);
  await Promise.all([loading, applyObjects(folders)]);
  const third = await startTogether(folders, partNames.slice(3));
  await waitForCluster(folders);
  return [...first, ...second, ...third];
}

/** Starts one part and waits until it is ready; false where it ran already. */
export async function startOne(folders: Folders, name: string): Promise<boolean> {
  const part = partOf(folders, name);
  if (!existsSync(adminKubeconfig(folders))) {
    throw explain('There is no cluster yet; run `up` first.');
  }
  return (
    (
      await startTogether(
        folders,
        partNames.filter((one) => one === part.name),
      )
    ).length > 0
  );
}

/** Imports image files (docker-archive or OCI) and answers the images' names. */
export async function loadImages(folders: Folders, files: readonly string[]): Promise<string[]> {
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) {
    throw explain(`There is no file ${missing}.`);
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
      throw explain(
        `${name} cannot start because another program listens on ${address}:${port}; \`ss -ltnp 'sport = :${port}'\` names it (log: ${logFile(folders, name)}).`,
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

async function waitForCluster(folders: Folders): Promise<void> {
  const end = performance.now() + secondsForCluster * 1000;
  const conditions = [
    { path: `/api/v1/nodes/${nodeName}`, type: 'Ready', what: 'The node', log: 'kubelet' },
    {
      path: '/apis/apps/v1/namespaces/kube-system/deployments/coredns',
      type: 'Available',
      what: 'The DNS server',
      log: 'kubelet',
    },
  ];
  for (const { path, type, what, log } of conditions) {
    while (!(await hasCondition(folders, path, type))) {
      if (performance.now() > end) {
        throw explain(
          `${what} was not ready after ${secondsForCluster} s; see \`kubectl describe\` and ${logFile(folders, log)}.`,
        );
      }
      await sleep(100);
    }
  }
}

/** A folder with just the commands for people, to be put on their PATH. */
function linkCommands(folders: Folders): void {
  const folder = commandsFolder(folders);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const command of ['kubectl', 'helm']) {
    symlinkSync(binaryPath(folders, command), join(folder, command));
  }
}

/** The folder with kubectl and helm. */
export function commandsFolder(folders: Folders): string {
  return join(folders.state, 'bin');
}
