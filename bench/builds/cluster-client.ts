import { request } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { writesIn, type ApiWrites } from '#bench/api-writes.ts';

/*
 * A bare HTTPS client for measurements: one persistent connection for calls, one for the watch, no caches.
 * Times are taken when bytes arrive.
 */
const config = new KubeConfig();
config.loadFromDefault();

const tls = async (): Promise<object> => {
  const options = {};
  await config.applyToHTTPSOptions(options);
  return options;
};

const server = (): string => {
  const current = config.getCurrentCluster();
  if (current === null) throw new Error('KUBECONFIG names no cluster.');
  return current.server;
};

export const call = async (method: string, path: string, body?: object): Promise<string> => {
  const options = await tls();
  return new Promise((resolve, reject) => {
    const asked = request(`${server()}${path}`, { ...options, method }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () =>
        (answer.statusCode ?? 500) < 300 ? resolve(text) : reject(new Error(`${method} ${path}: ${text}`)),
      );
    });
    asked.on('error', reject);
    asked.setHeader('content-type', 'application/json');
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
};

export interface PodEvent {
  at: number;
  type: string;
  name: string;
  labels: Record<string, string>;
  phase: string;
}

/**
 * Calls `seen` for every Pod event in the namespace, with the time its line arrived. Returns a function that
 * stops the watch.
 */
export const watchPods = async (namespace: string, seen: (event: PodEvent) => void): Promise<() => void> => {
  const options = await tls();
  const path = `/api/v1/namespaces/${namespace}/pods?watch=true&allowWatchBookmarks=false`;
  return new Promise((resolve, reject) => {
    const asked = request(`${server()}${path}`, options, (answer) => {
      let rest = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        const at = performance.now();
        const lines = (rest + part).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const event: {
            type: string;
            object: {
              metadata: { name: string; labels?: Record<string, string> };
              status?: { phase?: string };
            };
          } = JSON.parse(line);
          const { metadata, status } = event.object;
          seen({
            at,
            type: event.type,
            name: metadata.name,
            labels: metadata.labels ?? {},
            phase: status?.phase ?? '',
          });
        }
      });
      answer.on('error', () => {});
      resolve(() => asked.destroy());
    });
    asked.on('error', reject);
    asked.end();
  });
};

/** The writes through the API server since it started. */
export const apiWrites = async (): Promise<ApiWrites> => writesIn(await call('GET', '/metrics'));
