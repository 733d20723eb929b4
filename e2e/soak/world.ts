import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { nodeAddress } from '#tools/cluster/addresses.ts';
import type { History } from './history.ts';
import type { Address } from './pipelines.ts';

/** As many as one check may bring. */
const MAX_AT_ONCE = 100;

/**
 * What pipelines meet outside of Millrace: a counter for each resource, which its checks read, and an ear for
 * steps that begin. It listens on the node's own address, which Pods reach.
 */
export class World {
  readonly #history: History;
  readonly #counters = new Map<string, number>();
  readonly #server = createServer((request, response) => this.#answer(request, response));

  constructor(history: History) {
    this.#history = history;
  }

  open(): Promise<Address> {
    return new Promise((resolve, reject) => {
      this.#server.on('error', reject);
      this.#server.listen(0, nodeAddress, () => {
        const at = this.#server.address();
        if (at === null || typeof at === 'string') reject(new Error('The counter has no address.'));
        else resolve({ host: at.address, port: at.port });
      });
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** The resource has one more version from now on. */
  publish(resource: string): void {
    const n = (this.#counters.get(resource) ?? 0) + 1;
    this.#counters.set(resource, n);
    this.#history.published.push({ at: Date.now(), resource, n });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://counter');
    if (url.pathname === '/ran') {
      this.#heard(url.searchParams);
      response.end();
      return;
    }
    const resource = url.pathname.replace('/versions/', '');
    const after = Number(url.searchParams.get('after'));
    const newest = this.#counters.get(resource) ?? 0;
    const count = Math.max(0, Math.min(MAX_AT_ONCE, newest - after));
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify(Array.from({ length: count }, (_, index) => ({ n: String(after + index + 1) }))),
    );
  }

  #heard(report: URLSearchParams): void {
    const text = (name: string): string => report.get(name) ?? '';
    const [pipeline, job, number] = [text('pipeline'), text('job'), text('number')];
    const [pod, step, run] = [text('pod'), text('step'), text('run')];
    // curl asks again where the answer was lost: the same run.
    if (this.#history.runs.some((known) => known.run === run)) return;
    this.#history.runs.push({ at: Date.now(), pipeline, job, number, pod, step, run });
  }
}
