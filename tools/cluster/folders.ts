import { join } from 'node:path';
import { cacheRoot } from '#tools/cache-root.ts';
import { explained } from './explain.ts';
import { tools, type Tool } from './versions.ts';

/** Folders of the cluster: binaries and state outside the checkout, sockets in /run. */
export type Folders = {
  readonly cache: string;
  readonly binaries: string;
  readonly images: string;
  readonly state: string;
  readonly sockets: string;
};

/** Leaves room for the kubelet's sockets: the kernel limits the path of a socket to 107 characters. */
const MAX_STATE_PATH_LENGTH = 70;

/** Subfolder of a tool's folder for the files that its binaries read. */
export const dataFolder = 'data';

/** The architecture as Go names it: `amd64` where Node says `x64`. */
export const architecture = process.arch === 'x64' ? 'amd64' : process.arch;

/** Folders below `MILLRACE_CACHE`, or the user's cache folder. */
export function foldersFrom(env: Readonly<Record<string, string | undefined>>): Folders {
  const cache = cacheRoot(env);
  const state = join(cache, 'cluster');
  if (!cache.startsWith('/')) {
    throw explained(`The cache folder ${cache} is not an absolute path; set MILLRACE_CACHE to one.`);
  }
  if (state.length > MAX_STATE_PATH_LENGTH) {
    throw explained(
      `The folder ${state} is too long for the sockets in it (${MAX_STATE_PATH_LENGTH} characters at most); ` +
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

/** Folder of a tool's binaries, by version and architecture. */
export function toolFolder(folders: Folders, tool: Tool): string {
  return join(folders.binaries, `${tool.name}-${tool.version}-${architecture}`);
}

/** Path of a binary, whichever tool provides it. */
export function binaryPath(folders: Folders, binary: string): string {
  const tool = tools.find(({ packages }) => Object.values(packages).includes(binary));
  if (tool === undefined) {
    throw new Error(`no tool provides the binary ${binary}`);
  }
  return join(toolFolder(folders, tool), binary);
}
