import { existsSync } from 'node:fs';
import { explained } from './explain.ts';
import { run, tryRun } from './run.ts';

type Prerequisite = { readonly debian: string; readonly present: () => Promise<boolean> };

/** Folders of system programs that PATH may lack. */
export const systemFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/bin', '/bin'];

const commandExists =
  (name: string): (() => Promise<boolean>) =>
  async () =>
    systemFolders.some((folder) => existsSync(`${folder}/${name}`));

const prerequisites: readonly Prerequisite[] = [
  { debian: 'nftables', present: commandExists('nft') },
  { debian: 'conntrack', present: commandExists('conntrack') },
  { debian: 'iproute2', present: commandExists('ip') },
  { debian: 'mount', present: commandExists('mount') },
  { debian: 'tar', present: commandExists('tar') },
  { debian: 'busybox-static', present: commandExists('busybox') },
  { debian: 'gcc', present: commandExists('gcc') },
  { debian: 'libc6-dev', present: async () => existsSync('/usr/include/stdlib.h') },
  { debian: 'pkg-config', present: commandExists('pkg-config') },
  {
    debian: 'libseccomp-dev',
    present: async () => (await tryRun('pkg-config', ['--exists', 'libseccomp'])) !== undefined,
  },
];

/** Debian packages whose files are not found. */
async function missingPackages(): Promise<string[]> {
  const present = await Promise.all(prerequisites.map((prerequisite) => prerequisite.present()));
  return prerequisites
    .filter((_, index) => present[index] === false)
    .map((prerequisite) => prerequisite.debian);
}

/** Installs missing packages if possible; otherwise throws and names them. */
export async function requirePackages(): Promise<void> {
  const missing = await missingPackages();
  if (missing.length === 0) {
    return;
  }
  const list = missing.join(' ');
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw explained(
      `These packages are missing (named as Debian names them): ${list}. Install them and try again.`,
    );
  }
  console.log(`Installing the missing Debian packages: ${list}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-q'], { env });
  await run('apt-get', ['install', '-q', '-y', '--no-install-recommends', ...missing], { env });
  const stillMissing = await missingPackages();
  if (stillMissing.length > 0) {
    throw explained(
      `apt-get installed the packages, but these are still not found: ${stillMissing.join(' ')}.`,
    );
  }
}

/**
 * Throws unless this is Linux and the user is root, who alone may change mounts, cgroups and firewall rules.
 */
export function requireRoot(): void {
  if (process.platform !== 'linux') {
    throw explained('The embedded cluster needs Linux; elsewhere use CLUSTER=existing with a KUBECONFIG.');
  }
  if (process.getuid?.() !== 0) {
    throw explained(
      'The embedded cluster needs root (a kubelet and a network of its own): ' +
        'run this with sudo, or use CLUSTER=existing with a KUBECONFIG.',
    );
  }
}
