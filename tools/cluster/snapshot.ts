import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { cgroupFolders, fixedFolders, kernelSettings, mountPointsIn } from './machine.ts';
import { run } from './run.ts';

/** Traces that a cluster could leave on a machine, as comparable lines. */
export async function snapshotOfMachine(): Promise<string[]> {
  const [links, addresses, routes, rules] = await Promise.all([
    run('ip', ['-o', 'link', 'show']),
    run('ip', ['-o', 'address', 'show', 'scope', 'global']),
    run('ip', ['-o', 'route', 'show', 'table', 'all']),
    run('nft', ['list', 'ruleset']),
  ]);
  return [
    ...links.split('\n').map((line) => `link ${line.split(':')[1]?.trim() ?? ''}`),
    ...addresses.split('\n').map((line) => `address ${line.split(/\s+/).slice(1, 4).join(' ')}`),
    ...routes.split('\n').map((line) => `route ${line.trim()}`),
    ...rules.split('\n').map((line) => `rule ${line.trim()}`),
    ...mountPoints().map((path) => `mount ${path}`),
    ...networkNamespaces().map((name) => `namespace ${name}`),
    ...cgroupFolders().flatMap((folder) => (existsSync(folder) ? [`cgroup ${folder}`] : [])),
    ...fixedFolders.flatMap((path) => (existsSync(path) ? [`folder ${path}`] : [])),
    ...kernelSettings().map(([name, value]) => `setting ${name} = ${value}`),
  ].toSorted();
}

/** Lines that only one of the two lists has, with `-` or `+` in front. */
export function differences(before: readonly string[], after: readonly string[]): string[] {
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
  ];
}

function mountPoints(): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8').split('\n').flatMap(mountPointsIn);
}

function networkNamespaces(): string[] {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  return [...new Set(pids.flatMap((pid) => namespaceOf(pid)))];
}

function namespaceOf(pid: string): string[] {
  try {
    return [readlinkSync(`/proc/${pid}/ns/net`)];
  } catch {
    return [];
  }
}
