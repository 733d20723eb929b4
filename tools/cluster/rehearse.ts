import { explained } from './explain.ts';
import { binaryPath, type Folders } from './folders.ts';
import { dnsImage } from './images.ts';
import { adminKubeconfig } from './pki.ts';
import { run } from './run.ts';
import { differences, snapshotOfMachine } from './snapshot.ts';
import { startCluster } from './start.ts';
import { stopCluster } from './stop.ts';

/**
 * Tests that stopping leaves nothing behind: compares the machine before a start with the machine after a
 * stop. In between it runs a Pod with a volume, a host port and a Service.
 */
export async function rehearse(folders: Folders): Promise<void> {
  await stopCluster(folders);
  const before = await snapshotOfMachine();
  await startCluster(folders);
  const kubectl = (args: readonly string[], input?: string): Promise<string> =>
    run(binaryPath(folders, 'kubectl'), ['--kubeconfig', adminKubeconfig(folders), ...args], {
      input: input ?? '',
    });
  await kubectl(
    ['apply', '-f', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: rehearsalObjects }),
  );
  await kubectl(['wait', 'pod/rehearsal', '--for=condition=Ready', '--timeout=10m']);
  const during = await snapshotOfMachine();
  await stopCluster(folders);
  const left = differences(before, await snapshotOfMachine());
  if (left.length > 0) {
    throw explained(`The machine is not as it was before:\n${left.join('\n')}`);
  }
  const seen = differences(before, during).length;
  console.log(
    `Of ${seen} differences that the running cluster made to the machine, none is left after its stop.`,
  );
}

const rehearsalObjects = [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'rehearsal' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'rehearsal' },
    spec: { type: 'NodePort', selector: { app: 'rehearsal' }, ports: [{ port: 53 }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'rehearsal', labels: { app: 'rehearsal' } },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'server',
          image: dnsImage,
          imagePullPolicy: 'IfNotPresent',
          ports: [{ containerPort: 53, hostPort: 20_053 }],
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
        },
      ],
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'rehearsal' } },
        { name: 'memory', emptyDir: { medium: 'Memory' } },
      ],
    },
  },
];
