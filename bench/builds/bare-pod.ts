import { call, watchPods } from './cluster-client.ts';
import { millisecondsOf } from './step-times.ts';

interface Container {
  name: string;
  command?: string[];
  args?: string[];
  env?: object[];
  [field: string]: unknown;
}
export interface PodSpec {
  containers: Container[];
  [field: string]: unknown;
}

/**
 * Returns the spec of a build's Pod, without the node and the tolerations, so that a bare Pod with the same
 * containers, images, volumes and security contexts can be created for comparison.
 */
export const podSpecOf = async (namespace: string, pod: string): Promise<PodSpec> => {
  const object: { spec: PodSpec } = JSON.parse(
    await call('GET', `/api/v1/namespaces/${namespace}/pods/${pod}`),
  );
  const { nodeName: _node, tolerations: _tolerations, ...spec } = object.spec;
  return spec;
};

/**
 * Replaces the commands and removes arguments and environment. The last container prints the current time in
 * nanoseconds, the others exit at once. Init containers stay as they are.
 */
export const bareSpec = (spec: PodSpec): PodSpec => ({
  ...spec,
  containers: spec.containers.map(({ env: _env, args: _args, ...container }, index) => ({
    ...container,
    command: ['/bin/sh', '-c', index === spec.containers.length - 1 ? 'date +%s%N' : 'true'],
  })),
});

/** Waits until the container has printed nanoseconds since 1970: a line of 19 digits. */
const waitForLog = async (namespace: string, name: string, container: string): Promise<string> => {
  for (;;) {
    const text = await call(
      'GET',
      `/api/v1/namespaces/${namespace}/pods/${name}/log?container=${container}`,
    ).catch(() => '');
    if (/^\d{19}$/m.test(text)) return text;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

export interface BareRun {
  /** Milliseconds from the POST until the watch shows the Pod object; NaN if it has not shown it. */
  objectMs: number;
  /** Milliseconds from the POST to the time that the last container printed. */
  runningMs: number;
  name: string;
}

export const runBarePod = async (namespace: string, spec: PodSpec, name: string): Promise<BareRun> => {
  let addedAt = Number.NaN;
  const stop = await watchPods(namespace, (event) => {
    if (event.type === 'ADDED' && event.name === name) addedAt = event.at;
  });
  const startOnWallClock = Date.now();
  const start = performance.now();
  const metadata = { name, namespace, labels: { bench: 'bare' } };
  await call('POST', `/api/v1/namespaces/${namespace}/pods`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: bareSpec(spec),
  });
  const last = spec.containers.at(-1)?.name ?? '';
  const printed = (await waitForLog(namespace, name, last)).trim();
  const runningMs = millisecondsOf(printed) - startOnWallClock;
  stop();
  return { objectMs: addedAt - start, runningMs, name };
};

export const deletePod = (namespace: string, name: string): Promise<string> =>
  call('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}`, { gracePeriodSeconds: 0 });
