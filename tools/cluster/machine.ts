import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bridge, bridgeMac, cgroup, clusterRanges, nodeAddress, serviceRange } from './addresses.ts';
import { dig } from './api.ts';
import { explained } from './explain.ts';
import { makeRules } from './firewall.ts';
import type { Folders } from './folders.ts';
import { run, tryRun } from './run.ts';

/**
 * Kernel settings that change while the cluster runs. The cluster sets `value`, or at least `least`; the
 * kubelet sets those without either.
 */
const managedSettings: Readonly<Record<string, { readonly value?: string; readonly least?: number }>> = {
  'net/ipv4/ip_forward': { value: '1' },
  'net/bridge/bridge-nf-call-iptables': { value: '1' },
  'fs/inotify/max_user_instances': { least: 1024 },
  'fs/inotify/max_user_watches': { least: 131_072 },
  'vm/overcommit_memory': {},
  'vm/panic_on_oom': {},
  'kernel/panic': {},
  'kernel/panic_on_oops': {},
  'kernel/keys/root_maxkeys': {},
  'kernel/keys/root_maxbytes': {},
};

/** Folders that the programs create at fixed paths, whatever their configuration says. */
export const fixedFolders = [
  '/run/containerd',
  '/var/lib/cni',
  '/var/lib/kubelet',
  '/var/log/containers',
  '/etc/cni',
  '/opt/cni',
  '/run/cni',
] as const;

type MachineState = {
  readonly settings: Readonly<Record<string, string>>;
  readonly absent: readonly string[];
};

/**
 * Records the state of the machine, so that `down` can restore it. Keeps an existing record, because an
 * earlier start has changed the machine.
 */
export function recordMachine(folders: Folders): void {
  const file = join(folders.state, 'machine-before.json');
  if (existsSync(file)) {
    return;
  }
  const before: MachineState = {
    settings: Object.fromEntries(kernelSettings()),
    absent: fixedFolders.filter((path) => !existsSync(path)),
  };
  writeFileSync(file, JSON.stringify(before));
}

/** Those kernel settings of this machine that the cluster may change, with their current values. */
export function kernelSettings(): [name: string, value: string][] {
  return Object.keys(managedSettings)
    .filter((name) => existsSync(`/proc/sys/${name}`))
    .map((name) => [name, readFileSync(`/proc/sys/${name}`, 'utf8').trim()]);
}

/**
 * Restores the recorded kernel settings, removes the fixed folders that did not exist, and deletes the
 * record. Returns what it restored and removed.
 */
export function restoreMachine(folders: Folders): string[] {
  const file = join(folders.state, 'machine-before.json');
  if (!existsSync(file)) {
    return [];
  }
  const before: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const restored = [
    ...restoreSettings(dig(before, 'settings')),
    ...removeFixedFolders(dig(before, 'absent')),
  ];
  rmSync(file);
  return restored;
}

function restoreSettings(settings: unknown): string[] {
  return Object.keys(managedSettings).flatMap((name) => {
    const former = dig(settings, name);
    const path = `/proc/sys/${name}`;
    if (typeof former !== 'string' || !existsSync(path) || readFileSync(path, 'utf8').trim() === former) {
      return [];
    }
    writeFileSync(path, former);
    return [`${name.replaceAll('/', '.')} = ${former}`];
  });
}

function removeFixedFolders(absent: unknown): string[] {
  return fixedFolders.filter((path) => {
    const isOurs = Array.isArray(absent) && absent.includes(path) && existsSync(path);
    if (isOurs) {
      rmSync(path, { recursive: true, force: true });
    }
    return isOurs;
  });
}

/**
 * Creates the bridge, its route, rules, kernel settings and cgroup if they do not exist. Throws if another
 * interface has a route into the cluster's ranges.
 */
export async function prepareMachine(folders: Folders): Promise<void> {
  await refuseForeignRoutes();
  await loadBridgeFilter();
  applyKernelSettings();
  makeCgroups();
  mkdirSync(folders.sockets, { recursive: true, mode: 0o711 });
  if ((await tryRun('ip', ['link', 'show', bridge])) === undefined) {
    await run('ip', ['link', 'add', bridge, 'address', bridgeMac, 'type', 'bridge']);
  }
  await run('ip', ['addr', 'replace', `${nodeAddress}/16`, 'dev', bridge]);
  await run('ip', ['link', 'set', bridge, 'up']);
  await run('ip', ['route', 'replace', serviceRange, 'dev', bridge, 'src', nodeAddress]);
  await makeRules();
}

async function refuseForeignRoutes(): Promise<void> {
  const text = await tryRun('ip', ['-o', 'route', 'show', 'root', clusterRanges]);
  const foreign = (text ?? '')
    .split('\n')
    .find((line) => line.trim() !== '' && !line.includes(`dev ${bridge} `));
  if (foreign !== undefined) {
    throw explained(
      `The machine already uses the cluster's range ${clusterRanges} (route "${foreign.trim()}"); ` +
        'end that use, or run on another machine.',
    );
  }
}

/**
 * Loads br_netfilter if the kernel has it. Without this module, if one Pod calls another through a Service,
 * the replies bypass kube-proxy's rules, so kube-proxy masquerades all traffic to Services.
 */
async function loadBridgeFilter(): Promise<void> {
  if (!existsSync('/proc/sys/net/bridge')) {
    await tryRun('modprobe', ['br_netfilter']);
  }
}

function applyKernelSettings(): void {
  for (const [name, { value, least }] of Object.entries(managedSettings)) {
    const path = `/proc/sys/${name}`;
    const current = existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
    const target = value ?? (least !== undefined && Number(current) < least ? String(least) : undefined);
    if (current !== undefined && target !== undefined && current !== target) {
      writeFileSync(path, target);
    }
  }
}

/** Deletes the bridge. */
export async function removeBridge(): Promise<string[]> {
  if ((await tryRun('ip', ['link', 'show', bridge])) === undefined) {
    return [];
  }
  await run('ip', ['link', 'delete', bridge]);
  return [`bridge ${bridge}`];
}

/** The cluster's cgroups: one in each cgroup hierarchy that is mounted. Version 2 has only one hierarchy. */
export function cgroupFolders(): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => / - cgroup2? /.test(line))
    .flatMap(mountPointsIn)
    .map((mount) => join(mount, cgroup));
}

function makeCgroups(): void {
  for (const folder of cgroupFolders()) {
    enableControllers(dirname(folder));
    mkdirSync(folder, { recursive: true });
  }
}

/**
 * In version 2 a cgroup has only the controllers that its parent enables. Enables the six that the kubelet
 * needs, as far as the machine has them.
 */
function enableControllers(top: string): void {
  const available = readLines(join(top, 'cgroup.controllers')).flatMap((line) => line.split(' '));
  const needed = ['cpu', 'cpuset', 'hugetlb', 'io', 'memory', 'pids'];
  for (const controller of needed.filter((name) => available.includes(name))) {
    try {
      writeFileSync(join(top, 'cgroup.subtree_control'), `+${controller}`);
    } catch {
      // The kubelet reports missing controllers.
    }
  }
}

/** The pids of all processes in the cluster's Pods. */
export function podProcesses(): number[] {
  const pids = cgroupFolders()
    .flatMap((folder) => cgroupTree(folder))
    .flatMap((folder) => readLines(join(folder, 'cgroup.procs')));
  return [...new Set(pids.map(Number))];
}

/** Removes the cluster's cgroups, inner ones first. */
export function removeCgroups(): string[] {
  const present = cgroupFolders().filter((folder) => existsSync(folder));
  for (const folder of present.flatMap((top) => cgroupTree(top))) {
    rmdirSync(folder);
  }
  return present.length === 0 ? [] : [`cgroup ${cgroup} in ${present.length} hierarchies`];
}

/** A cgroup and its descendants, inner ones first. */
function cgroupTree(folder: string): string[] {
  if (!existsSync(folder)) {
    return [];
  }
  const children = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [...children.flatMap((entry) => cgroupTree(join(folder, entry.name))), folder];
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}

/** The mount point in a line of mountinfo: field 5 (proc_pid_mountinfo(5)). */
export function mountPointsIn(line: string): string[] {
  const [, , , , mountPoint] = line.split(' ');
  return mountPoint === undefined ? [] : [mountPoint];
}

/** Mounts below a folder, inner ones first. */
export function mountsBelow(folder: string): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap(mountPointsIn)
    .map((path) =>
      path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    )
    .filter((path) => path.startsWith(`${folder}/`))
    .toReversed();
}
