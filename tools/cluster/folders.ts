import { homedir } from 'node:os';
import { join } from 'node:path';
import { explain } from './explain.ts';
import { tools, type Tool } from './versions.ts';

/** Folders of the cluster: binaries and state outside the checkout, sockets in /run. */
export type Folders = {
  readonly cache: string;
  readonly binaries: string;
  readonly images: string;
  readonly state: string;
  readonly sockets: string;
};

/** A kubelet socket's path must stay below the kernel's 108 characters. */
const longestState = 70;

/** Folder, beside a tool's binaries, of what they read. */
export const dataFolder = 'data';

/** Go's name of the processor: Node says `x64` for `amd64`. */
export const architecture = process.arch === 'x64' ? 'amd64' : process.arch;

/** Folders below `MILLRACE_CACHE`, or the user's cache folder. */
export function foldersFrom(env: Readonly<Record<string, string | undefined>>): Folders {
  const cache =
    env['MILLRACE_CACHE'] ||
    join(env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache'), 'millrace');
  const state = join(cache, 'cluster');
  if (!cache.startsWith('/')) {
    throw explain(`The cache folder ${cache} is not an absolute path; set MILLRACE_CACHE to one.`);
  }
  if (state.length > longestState) {
    throw explain(
      `The folder ${state} is too long for the sockets in it (${longestState} characters at most); ` +
        'set MILLRACE_CACHE to a shorter one.',
    );
  }
  return {
    cache,
    binaries: join(cache, 'bin'),
    images: join(cache, 'images'),
    state,
    sockets: '/run/millrace-cluster',
  };
}

/** Folder of a tool's binaries, by version and processor. */
export function toolFolder(folders: Folders, tool: Tool): string {
  return join(folders.binaries, `${tool.name}-${tool.version}-${architecture}`);
}

/** Path of a binary of any tool. */
export function binaryPath(folders: Folders, binary: string): string {
  const tool = tools.find((one) => Object.values(one.packages).includes(binary));
  if (tool === undefined) {
    throw new Error(`no tool brings the binary ${binary}`);
  }
  return join(toolFolder(folders, tool), binary);
}
