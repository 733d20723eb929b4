import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Container, V1Pod, V1PodSpec, V1Volume } from '@kubernetes/client-node';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { kubeconfigConnection } from '#adapters/kubernetes/api/connection.ts';
import { KINDS, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import { summarise } from '#bench/statistics.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { defined } from '#defined';
import { nodeAddress } from '#tools/cluster/addresses.ts';
import { foldersFrom } from '#tools/cluster/folders.ts';
import { adminKubeconfig } from '#tools/cluster/pki.ts';

/*
 * Compares ways to bring the shim into a container of a foreign image (docs/adr/0005 and 0048). Each round
 * creates one Pod for each way, one after another. Needs the embedded cluster with its images loaded, as
 * `make demo` leaves it:
 *
 *   node bench/comparisons/shim-delivery.ts [--runs 15]
 *
 * Each Pod is like that of a build with one foreign image: an agent in Node and a busybox share the work
 * directory. The time is from the POST of the Pod until both have called this program: the agent once Node
 * runs, the busybox once its shim has answered. Two more Pods serve for comparison: one whose step uses the
 * worker image, which has the shim and needs no volume, and one whose busybox runs without a shim.
 */
const runs = numberFlag('runs', 15);
const NAMESPACE = 'millrace-measure';
const IMAGE = process.env['MILLRACE_IMAGE'] ?? 'localhost/millrace:dev';
const FOREIGN = process.env['MILLRACE_FOREIGN_IMAGE'] ?? 'localhost/millrace-busybox:dev';
const SHIM = '/usr/local/bin/millrace-shim';
const MAX_WAIT_MS = 60_000;
const COPY_HOOK = { postStart: { exec: { command: [SHIM, 'install', '/millrace/shim'] } } };

type Way =
  | 'own image, no volume'
  | 'no shim at all'
  | 'agent copies, sh waits'
  | 'the same, and a token'
  | 'postStart copies'
  | 'image volume'
  | 'init container';

interface Delivery {
  /**
   * The step's container runs the worker image, which contains the shim. The Pod then has no work directory.
   */
  usesWorkerImage?: boolean;
  volumes: V1Volume[];
  /** Path of the shim in the step's container. Absent: the step runs without a shim. */
  shim?: string;
  mount?: { name: string; mountPath: string };
  /** Who copies the shim. `hook`: the `postStart` hook of the agent, before the step's container starts. */
  copiedBy?: 'agent' | 'hook';
  /** The Pod also has a projected token, as the agent of a build has. */
  token?: boolean;
  init?: V1Container[];
}

const emptyShim: V1Volume = { name: 'shim', emptyDir: {} };
const token: V1Volume = {
  name: 'token',
  projected: {
    sources: [
      { serviceAccountToken: { audience: 'millrace-gateway', expirationSeconds: 3600, path: 'token' } },
    ],
  },
};
const tokenMount = { name: 'token', mountPath: '/var/run/secrets/millrace.dev', readOnly: true };
const workdir = { name: 'workdir', mountPath: '/workdir' };
const mount = { name: 'shim', mountPath: '/millrace/shim' };

const ways: Record<Way, Delivery> = {
  'own image, no volume': { volumes: [], usesWorkerImage: true, shim: SHIM },
  'no shim at all': { volumes: [] },
  'agent copies, sh waits': {
    volumes: [emptyShim],
    mount,
    shim: '/millrace/shim/millrace-shim',
    copiedBy: 'agent',
  },
  'the same, and a token': {
    volumes: [emptyShim, token],
    mount,
    shim: '/millrace/shim/millrace-shim',
    copiedBy: 'agent',
    token: true,
  },
  'postStart copies': {
    volumes: [emptyShim],
    mount,
    shim: '/millrace/shim/millrace-shim',
    copiedBy: 'hook',
  },
  'image volume': {
    volumes: [{ name: 'shim', image: { reference: IMAGE, pullPolicy: 'IfNotPresent' } }],
    mount,
    shim: `/millrace/shim${SHIM}`,
  },
  'init container': {
    volumes: [emptyShim],
    mount,
    shim: '/millrace/shim/millrace-shim',
    init: [
      {
        name: 'copy',
        image: IMAGE,
        imagePullPolicy: 'IfNotPresent',
        command: ['/bin/cp', SHIM, '/millrace/shim/millrace-shim'],
        volumeMounts: [mount],
      },
    ],
  },
};

/** Milliseconds from the POST of the Pod. */
interface Sample {
  way: string;
  /** Until both containers have called. */
  both: number;
  /** Until the step's container has called. */
  step: number;
}

/** When each container of a Pod called, a time of `performance.now()`. */
interface Calls {
  agent: number;
  step: number;
}

const calls = new Map<string, Partial<Calls>>();
const server = createServer((request, answer) => {
  const [, pod = '', caller = ''] = (request.url ?? '').split('/');
  const callsOfPod = calls.get(pod);
  if (callsOfPod !== undefined && (caller === 'agent' || caller === 'step'))
    callsOfPod[caller] ??= performance.now();
  answer.end();
});
server.listen(0, nodeAddress);
await once(server, 'listening');
const address = server.address();
const ownUrl = `http://${nodeAddress}:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;

const connection = await kubeconfigConnection(adminKubeconfig(foldersFrom(process.env)));
const client = new ApiClient(connection);
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
orThrow(await client.create(KINDS.namespaces, namespace), 'create the namespace');
try {
  console.log(circumstances());
  const samples: Sample[] = [];
  // The first round warms up the node and does not count.
  for (let run = 0; run <= runs; run += 1) {
    const round = await measureRound(run);
    if (run > 0) samples.push(...round);
    console.error(`${run} of ${runs}`);
  }
  console.log(`\n${report(samples)}\n\n${circumstances()}`);
} finally {
  await client.delete(KINDS.namespaces, { name: NAMESPACE });
  await connection.close();
  server.close();
}

async function measureRound(run: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const [way, delivery] of Object.entries(ways)) {
    samples.push({ way, ...(await measure(`${way.replaceAll(/\W+/g, '-')}-${run}`, delivery)) });
  }
  return samples;
}

async function measure(name: string, delivery: Delivery): Promise<{ both: number; step: number }> {
  calls.set(name, {});
  const pod: V1Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: NAMESPACE },
    spec: specOf(name, delivery),
  };
  const wire: Wire<V1Pod> = JSON.parse(JSON.stringify(pod));
  const startedAt = performance.now();
  orThrow(await client.create(KINDS.pods, wire), `create ${name}`);
  try {
    for (;;) {
      const { agent, step } = calls.get(name) ?? {};
      if (agent !== undefined && step !== undefined)
        return { both: Math.max(agent, step) - startedAt, step: step - startedAt };
      if (performance.now() - startedAt > MAX_WAIT_MS)
        throw new Error(`${name} did not call within a minute.`);
      await sleep(5);
    }
  } finally {
    await client.delete(KINDS.pods, { namespace: NAMESPACE, name }, { graceSeconds: 0 });
    // The deletion must not slow down the next Pod.
    await sleep(1500);
  }
}

function specOf(name: string, delivery: Delivery): V1PodSpec {
  const { usesWorkerImage = false, volumes, init } = delivery;
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 0,
    volumes: usesWorkerImage ? [] : [{ name: 'workdir', emptyDir: {} }, ...volumes],
    ...defined({ initContainers: init }),
    containers: [agentContainer(name, delivery), stepContainer(name, delivery)],
  };
}

function agentContainer(
  name: string,
  { usesWorkerImage = false, copiedBy, token: hasToken = false, mount: shimMount }: Delivery,
): V1Container {
  const copy = `const fs = require('node:fs'); const to = '/millrace/shim/millrace-shim';
    fs.copyFileSync('${SHIM}', to + '.new'); fs.chmodSync(to + '.new', 0o755); fs.renameSync(to + '.new', to);`;
  const call = `fetch('${ownUrl}/${name}/agent'); setTimeout(() => {}, 60000);`;
  return {
    name: 'agent',
    image: IMAGE,
    imagePullPolicy: 'IfNotPresent',
    command: ['/usr/local/bin/node', '-e', `${copiedBy === 'agent' ? copy : ''} ${call}`],
    volumeMounts: [
      ...(usesWorkerImage ? [] : [workdir]),
      ...(copiedBy !== undefined && shimMount !== undefined ? [shimMount] : []),
      ...(hasToken ? [tokenMount] : []),
    ],
    ...(copiedBy === 'hook' ? { lifecycle: COPY_HOOK } : {}),
  };
}

function stepContainer(
  name: string,
  { usesWorkerImage = false, shim, mount: shimMount }: Delivery,
): V1Container {
  const get = usesWorkerImage ? 'curl -s -o /dev/null' : 'wget -q -O /dev/null';
  const wait = shim === undefined ? '' : `until [ -x ${shim} ]; do sleep 0.02; done; ${shim} version; `;
  return {
    name: 'step',
    image: usesWorkerImage ? IMAGE : FOREIGN,
    imagePullPolicy: 'IfNotPresent',
    command: ['/bin/sh', '-c', `${wait}${get} ${ownUrl}/${name}/step; sleep 60`],
    volumeMounts: [
      ...(usesWorkerImage ? [] : [workdir]),
      ...(shimMount === undefined ? [] : [{ ...shimMount, readOnly: true }]),
    ],
  };
}

function report(samples: Sample[]): string {
  const rows = Object.keys(ways).map((way) => {
    const samplesOfWay = samples.filter((sample) => sample.way === way);
    return [
      way,
      medianAndP90(samplesOfWay.map(({ both }) => both)),
      medianAndP90(samplesOfWay.map(({ step }) => step)),
    ];
  });
  return table([`${runs} Pods each: median, p90`, 'agent and step both called', 'step called'], rows);
}

function medianAndP90(values: number[]): string {
  const { median, p90 } = summarise(values);
  return `${median.toFixed(0)} ms, ${p90.toFixed(0)} ms`;
}
