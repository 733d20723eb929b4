import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { runKubectl, start } from '#tools/chart/cluster-commands.ts';
import { servicesAreReachable } from '#tools/chart/install.ts';
import { explained, messageOf } from '#tools/cluster/explain.ts';

export interface ReachableService {
  url: string;
  close: () => void;
}

/**
 * A URL of a Service for this machine: its cluster IP on the embedded cluster, otherwise a forwarded port.
 */
export async function reach(namespace: string, service: string): Promise<ReachableService> {
  const reached = await (servicesAreReachable()
    ? clusterAddress(namespace, service)
    : forwardPort(namespace, service));
  await waitForAnswer(reached.url);
  return reached;
}

/** Waits for any answer: a Service forwards to a new Pod only some time after the Pod is ready. */
async function waitForAnswer(url: string): Promise<void> {
  const end = Date.now() + 10 * 60_000;
  for (;;) {
    try {
      await fetch(url, { signal: AbortSignal.timeout(5000) });
      return;
    } catch (error) {
      if (Date.now() > end) throw explained(`${url} does not answer: ${messageOf(error)}`);
      await sleep(250);
    }
  }
}

async function clusterAddress(namespace: string, service: string): Promise<ReachableService> {
  const path = 'jsonpath={.spec.clusterIP}:{.spec.ports[0].port}';
  const answer = await runKubectl(['get', 'service', service, '--namespace', namespace, '-o', path]);
  return { url: `http://${answer.replace(/:80$/, '')}`, close: () => undefined };
}

async function forwardPort(namespace: string, service: string): Promise<ReachableService> {
  const get = ['get', 'service', service, '--namespace', namespace];
  const port = await runKubectl([...get, '-o', 'jsonpath={.spec.ports[0].port}']);
  const args = ['port-forward', '--namespace', namespace, `service/${service}`, `:${port}`];
  const child = start('kubectl', args);
  child.stderr.pipe(process.stderr);
  const { promise, resolve, reject } = Promise.withResolvers<ReachableService>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [, local] = /^Forwarding from 127\.0\.0\.1:(\d+)/.exec(line) ?? [];
    if (local !== undefined) resolve({ url: `http://127.0.0.1:${local}`, close: () => child.kill() });
  });
  child.on('error', reject);
  child.on('close', () => reject(explained(`\`kubectl ${args.join(' ')}\` ended.`)));
  return promise;
}
