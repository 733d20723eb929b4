import { call, watchPods } from './cluster-client.ts';

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
 * The spec of a real build's Pod as the reference: the same containers, images, volumes and security
 * contexts.
 */
export const podSpecOf = async (namespace: string, pod: string): Promise<PodSpec> => {
  const object: { spec: PodSpec } = JSON.parse(
    await call('GET', `/api/v1/namespaces/${namespace}/pods/${pod}`),
  );
  const { nodeName: _node, tolerations: _tolerations, ...spec } = object.spec;
  return spec;
};

/** The first containers exit at once. The last prints the start of its first process in nanoseconds. */
export const bareSpec = (spec: PodSpec): PodSpec => ({
  ...spec,
  containers: spec.containers.map(({ env: _env, args: _args, ...container }, index) => ({
    ...container,
    command: ['/bin/sh', '-c', index === spec.containers.length - 1 ? 'date +%s%N' : 'true'],
  })),
});

const logOf = async (namespace: string, name: string, container: string): Promise<string> => {
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
  /** Milliseconds from the POST to the watch event of the object. */
  object: number;
  /** Milliseconds from the POST to the first process of the last container. */
  running: number;
  name: string;
}

export const runBarePod = async (namespace: string, spec: PodSpec, name: string): Promise<BareRun> => {
  let seen = Number.NaN;
  const stop = await watchPods(namespace, (event) => {
    if (event.type === 'ADDED' && event.name === name) seen = event.at;
  });
  const started = Date.now();
  const start = performance.now();
  const metadata = { name, namespace, labels: { bench: 'bare' } };
  await call('POST', `/api/v1/namespaces/${namespace}/pods`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: bareSpec(spec),
  });
  const last = spec.containers.at(-1)?.name ?? '';
  const running = Number(BigInt((await logOf(namespace, name, last)).trim()) / 1000n) / 1000 - started;
  stop();
  return { object: seen - start, running, name };
};

export const deletePod = (namespace: string, name: string): Promise<string> =>
  call('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}`, { gracePeriodSeconds: 0 });
