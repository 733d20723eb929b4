import { join } from 'node:path';
import type { ResourceType } from '#domain/pipeline/pipeline.ts';
import { checkoutRoot } from './build-agent.ts';
import type { LocalPod, ShimOptions } from './local-pod.ts';

/*
 * Resource types of Concourse's protocol for tests. Their programs are in e2e/foreign-types; the end-to-end
 * test makes images of them.
 */
const programs = join(checkoutRoot, 'e2e', 'foreign-types');

export function protocolType(name: string, image = `localhost/${name}`): ResourceType {
  const program = (file: string) => ({
    runner: 'docker' as const,
    image,
    path: `/opt/resource/${file}`,
    args: [],
  });
  return {
    name,
    builtIn: false,
    params: [],
    cache: false,
    protocol: 'concourse',
    check: program('check'),
    pull: program('in'),
    push: program('out'),
  };
}

/**
 * Options for a shim in a container of a type of Concourse: `/opt/resource` contains the programs of
 * `folder`, and the container has its own directories for temporary files.
 */
export function protocolShimOptions(pod: LocalPod, type: string, folder = join(programs, type)): ShimOptions {
  const before = [
    'mount -t tmpfs none /mnt',
    'mkdir /mnt/pod /mnt/type',
    `mount --bind ${pod.folder} /mnt/pod`,
    `mount --bind ${folder} /mnt/type`,
    ...['/tmp', '/var/tmp', '/dev/shm'].map((path) => `mount -t tmpfs -o mode=1777 none ${path}`),
    `mkdir -p ${pod.folder}`,
    `mount --bind /mnt/pod ${pod.folder}`,
    'mount -t tmpfs none /opt',
    'mkdir /opt/resource',
    'mount --bind /mnt/type /opt/resource',
  ];
  return { before: before.join(' && '), environment: { TMPDIR: '/tmp' } };
}
