import { RELEASE } from '#tools/chart/install.ts';
import { killContainer } from './embedded.ts';
import { eventually } from './eventually.ts';
import { condition, kubectl } from './kubectl.ts';
import { get } from './read-objects.ts';

const { namespace } = RELEASE;
export const LEASE = `${RELEASE.name}-operator`;

/** Waits until the operator that holds the lease is ready; returns its Pod's name. */
export const readyLeader = (): Promise<string> =>
  eventually(async () => {
    const name = await kubectl(
      'get',
      'lease',
      LEASE,
      '--namespace',
      namespace,
      '-o',
      'jsonpath={.spec.holderIdentity}',
    );
    if (name === '') throw new Error('nobody leads');
    const { status } = condition(await get('pod', name, '--namespace', namespace), 'Ready');
    if (status !== 'True') throw new Error(`${name} leads and is not ready`);
    return name;
  });

/**
 * Kills the leader with SIGKILL and deletes its Pod. The kubelet restarts a container immediately only the
 * first time, so another Pod takes its place.
 */
export const killLeader = async (): Promise<void> => {
  const name = await readyLeader();
  await killContainer(namespace, name, 'operator');
  const now = ['--force', '--grace-period=0', '--wait=false'];
  await kubectl('delete', 'pod', name, '--namespace', namespace, ...now);
};
