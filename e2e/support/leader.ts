import { killContainer } from './embedded.ts';
import { eventually } from './eventually.ts';
import { RELEASE } from './gateway.ts';
import { condition, get, kubectl } from './kubectl.ts';

const { namespace } = RELEASE;
export const LEASE = `${RELEASE.name}-operator`;

/** The Pod of the operator that leads, once it says that it does. */
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
 * SIGKILL, then another Pod in its place, because the kubelet restarts a container at once only the first
 * time.
 */
export const killLeader = async (): Promise<void> => {
  const name = await readyLeader();
  await killContainer(namespace, name, 'operator');
  const now = ['--force', '--grace-period=0', '--wait=false'];
  await kubectl('delete', 'pod', name, '--namespace', namespace, ...now);
};
