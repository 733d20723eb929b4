import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { nodeAddress } from '#tools/cluster/addresses.ts';
import type { BuildOfRun, SoakHistory } from './history.ts';
import type { RunAddress } from './pipelines.ts';

/** The most versions that one check may return. */
const MAX_AT_ONCE = 100;

const textOf = (report: URLSearchParams, name: string): string => report.get(name) ?? '';

/** The build and the Pod that a report comes from. */
const sourceOf = (report: URLSearchParams): BuildOfRun & { pod: string } => ({
  pipeline: textOf(report, 'pipeline'),
  job: textOf(report, 'job'),
  number: textOf(report, 'number'),
  pod: textOf(report, 'pod'),
});

/**
 * An HTTP server outside Millrace. Checks read a counter for each resource; steps, notifications and services
 * report to it. It listens on the node's address, which Pods can reach.
 */
export class CounterServer {
  readonly #history: SoakHistory;
  readonly #counters = new Map<string, number>();
  readonly #server = createServer((request, response) => this.#answer(request, response));

  /** Ids of the runs of steps and notifications that have reported. */
  readonly #reported = new Set<string>();
  readonly #recorders: Readonly<Record<string, (report: URLSearchParams) => void>> = {
    '/ran': (report) => this.#once(report, () => this.#recordRun(report)),
    '/notified': (report) => this.#once(report, () => this.#recordNotification(report)),
    '/beat': (report) => this.#recordBeat(report),
  };

  constructor(history: SoakHistory) {
    this.#history = history;
  }

  open(): Promise<RunAddress> {
    return new Promise((resolve, reject) => {
      this.#server.on('error', reject);
      this.#server.listen(0, nodeAddress, () => {
        const address = this.#server.address();
        if (address === null || typeof address === 'string') reject(new Error('The counter has no address.'));
        else resolve({ host: address.address, port: address.port });
      });
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Adds a version to the resource. */
  publish(resource: string): void {
    const n = (this.#counters.get(resource) ?? 0) + 1;
    this.#counters.set(resource, n);
    this.#history.published.push({ at: Date.now(), resource, n });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://counter');
    const record = this.#recorders[url.pathname];
    if (record !== undefined) {
      record(url.searchParams);
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

  /** Records a report only once: curl repeats a request whose answer was lost. */
  #once(report: URLSearchParams, record: () => void): void {
    const run = textOf(report, 'run');
    if (this.#reported.has(run)) return;
    this.#reported.add(run);
    record();
  }

  #recordRun(report: URLSearchParams): void {
    const [step, run] = [textOf(report, 'step'), textOf(report, 'run')];
    const restored = textOf(report, 'restored');
    this.#history.runs.push({ at: Date.now(), ...sourceOf(report), step, run, restored });
  }

  #recordNotification(report: URLSearchParams): void {
    const status = textOf(report, 'status');
    this.#history.notifications?.push({ at: Date.now(), ...sourceOf(report), status });
  }

  #recordBeat(report: URLSearchParams): void {
    const { services = [] } = this.#history;
    const [source, at] = [sourceOf(report), Date.now()];
    const service = services.find(({ pod }) => pod === source.pod);
    if (service === undefined) services.push({ ...source, from: at, to: at });
    else service.to = at;
  }
}
