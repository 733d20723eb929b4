import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bridge } from './addresses.ts';
import { explained } from './explain.ts';
import { presentRules, removeRules } from './firewall.ts';
import type { Folders } from './folders.ts';
import { endAll, identityOf, markedProcesses } from './identity.ts';
import {
  cgroupFolders,
  mountsBelow,
  podProcesses,
  removeBridge,
  removeCgroups,
  restoreMachine,
} from './machine.ts';
import { addressRecordsFolder } from './node-config.ts';
import { partOf, type PartName } from './parts.ts';
import { stopPart } from './processes.ts';
import { run, tryRun } from './run.ts';

/** Parts that use the API server. They stop before the containers, which the kubelet would restart. */
const drivers: readonly PartName[] = [
  'kubelet',
  'kube-proxy',
  'volumes',
  'kube-controller-manager',
  'kube-scheduler',
];
/** Parts that the API server and the containers need. */
const foundations: readonly PartName[] = ['containerd', 'etcd'];

const secondsForParts = 15;
const secondsForContainers = 5;

/** The kernel removes network namespaces and cgroups some time after their last process. */
const secondsForKernel = 120;

/**
 * Stops everything that `up` started and restores the machine, even if the cluster no longer runs and only
 * traces of it are left. Returns lines about what it stopped, removed or restored. Throws if traces are still
 * left at the end.
 */
export async function stopCluster(folders: Folders): Promise<string[]> {
  const done: string[] = [];
  done.push(...(await stopParts(folders, drivers)));
  const pods = podProcesses().flatMap((pid) => identityOf(pid) ?? []);
  await endAll(pods, secondsForContainers);
  done.push(...(pods.length === 0 ? [] : [`${pods.length} processes in Pods`]));
  // The API server deregisters itself in etcd, so etcd stops later.
  done.push(...(await stopParts(folders, ['kube-apiserver'])));
  done.push(...(await stopParts(folders, foundations)));
  const remaining = markedProcesses(folders.state).map(({ identity }) => identity);
  await endAll(remaining, 1);
  done.push(...(remaining.length === 0 ? [] : [`${remaining.length} containerd shims and helpers`]));
  done.push(...(await unmountAll(folders)));
  done.push(...(await removeBridge()), ...(await removeRules()));
  rmSync(addressRecordsFolder(folders), { recursive: true, force: true });
  done.push(...(await retry(removeCgroups)));
  rmSync(folders.sockets, { recursive: true, force: true });
  done.push(...restoreMachine(folders));
  const left = await waitUntilNothingIsLeft(folders);
  if (left.length > 0) {
    throw explained(`These are left behind; end their users and run \`down\` again:\n${left.join('\n')}`);
  }
  return done;
}

/** Removes the state folder: etcd, loaded images, volumes, logs, keys. Binaries and image files stay. */
export function purge(folders: Folders): void {
  const mounts = mountsBelow(folders.state);
  if (mounts.length > 0) {
    throw explained(`There are still mounts in ${folders.state} (${mounts[0]}); nothing was removed.`);
  }
  rmSync(folders.state, { recursive: true, force: true });
}

/** What the cluster has on the machine besides its stored data; empty after `down`. */
export async function traces(folders: Folders): Promise<string[]> {
  const link = await tryRun('ip', ['-o', 'link', 'show', bridge]);
  return [
    ...processTraces(folders),
    ...[folders.state, folders.sockets].flatMap(mountsBelow).map((path) => `mount ${path}`),
    ...(link === undefined ? [] : [`bridge ${bridge}`]),
    ...(await presentRules()),
    ...cgroupFolders()
      .filter((folder) => existsSync(folder))
      .map((folder) => `cgroup ${folder}`),
    ...[folders.sockets, join(folders.state, 'machine-before.json')]
      .filter((path) => existsSync(path))
      .map((path) => `file ${path}`),
  ];
}

/** The processes of the cluster. If they ended without `down`, there are none, but other traces are left. */
export function processTraces(folders: Folders): string[] {
  return [
    ...markedProcesses(folders.state).map(
      ({ identity, command, part }) => `process ${identity.pid} ${command} (${part})`,
    ),
    ...podProcesses().map((pid) => `process ${pid} in a Pod`),
  ];
}

async function stopParts(folders: Folders, names: readonly PartName[]): Promise<string[]> {
  const stopped = await Promise.all(
    names.map((name) => stopPart(folders, partOf(folders, name), secondsForParts)),
  );
  return names.filter((_, index) => stopped[index] === true);
}

async function unmountAll(folders: Folders): Promise<string[]> {
  const mounts = [folders.state, folders.sockets].flatMap(mountsBelow);
  for (const mount of mounts) {
    if ((await tryRun('umount', [mount])) === undefined && mountsBelow(join(mount, '..')).includes(mount)) {
      await run('umount', ['--lazy', mount]);
    }
  }
  return mounts.length === 0 ? [] : [`${mounts.length} mounts`];
}

async function retry(work: () => string[]): Promise<string[]> {
  const end = performance.now() + secondsForKernel * 1000;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (performance.now() > end) {
        throw error;
      }
      await sleep(50);
    }
  }
}

async function waitUntilNothingIsLeft(folders: Folders): Promise<string[]> {
  const end = performance.now() + secondsForKernel * 1000;
  let left = await traces(folders);
  while (left.length > 0 && performance.now() < end) {
    await sleep(100);
    left = await traces(folders);
  }
  return left;
}
