import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnswerReader } from './read-answer.ts';

export interface RequestToSend {
  method?: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface LoadResult {
  /** Answers per second, from before the connections open until the last answer. */
  perSecond: number;
  answers: number;
  /** Percentiles of the milliseconds from sending a request to the end of its answer. */
  p50: number;
  p99: number;
}

export interface LoadSettings {
  connections: number;
  /** How long to send the requests again and again; without it each request is sent once. */
  seconds?: number;
  requests: readonly RequestToSend[];
  /** Called before the connections open. */
  begin?: () => void;
  /** The expected status; by default any below 300. */
  status?: number;
  /**
   * Called for each answer. If set, unexpected statuses and broken connections do not fail the measurement.
   */
  onAnswer?: (index: number, status: number) => void;
}

/**
 * Sends the next request on a connection as soon as the previous answer has arrived there. Throws if an
 * answer is unexpected or a connection breaks, unless `onAnswer` is set. Reads as little of an answer as
 * possible, because an ordinary client could use more processor time than the measured server.
 */
export async function load(base: string, options: LoadSettings): Promise<LoadResult> {
  const { hostname, port, host } = new URL(base);
  const bytes = options.requests.map((request) => encode(request, host));
  const run = { ...options, bytes, next: 0, ended: false, durations: new Array<number>() };
  options.begin?.();
  const startedAt = performance.now();
  const senders = Array.from({ length: options.connections }, async () => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await sendRequests(socket, run).finally(() => socket.destroy());
  });
  await endInTime(senders, run);
  const sorted = run.durations.toSorted((a, b) => a - b);
  const percentile = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  const elapsed = (performance.now() - startedAt) / 1000;
  return {
    perSecond: sorted.length / elapsed,
    answers: sorted.length,
    p50: percentile(0.5),
    p99: percentile(0.99),
  };
}

/**
 * Ends the senders after `seconds`, or without `seconds` once every request is answered. Ends all of them as
 * soon as one fails. Throws if one failed.
 */
async function endInTime(senders: readonly Promise<void>[], run: Run): Promise<void> {
  const waiting = new AbortController();
  // One promise for all, so that a failure is handled whenever it comes.
  const sending = Promise.all(senders);
  try {
    if (run.seconds !== undefined)
      await Promise.race([sleep(run.seconds * 1000, undefined, { signal: waiting.signal }), sending]);
    else await sending;
  } finally {
    run.ended = true;
    waiting.abort();
    await Promise.allSettled(senders);
  }
  await sending;
}

interface Run extends LoadSettings {
  bytes: Buffer[];
  next: number;
  ended: boolean;
  durations: number[];
}

function encode({ method = 'GET', path, headers = {}, body }: RequestToSend, host: string): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...Object.entries(headers).map((header) => header.join(': ')),
  ];
  if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

async function sendRequests(socket: Socket, run: Run): Promise<void> {
  try {
    await once(socket, 'connect');
    const reader = new AnswerReader(socket);
    for (let index = nextIndex(run); index !== undefined; index = nextIndex(run)) {
      const startedAt = performance.now();
      const answer = reader.next();
      socket.write(run.bytes[index] ?? '');
      const status = await answer;
      run.durations.push(performance.now() - startedAt);
      if (run.onAnswer !== undefined) run.onAnswer(index, status);
      else if (!isExpected(status, run.status))
        throw new Error(`${run.requests[index]?.path} was answered ${status}.`);
    }
  } catch (error) {
    if (run.onAnswer === undefined) throw error;
  }
}

function isExpected(status: number, expected: number | undefined): boolean {
  return expected === undefined ? status < 300 : status === expected;
}

function nextIndex(run: Run): number | undefined {
  if (run.ended || (run.seconds === undefined && run.next >= run.bytes.length)) return undefined;
  const index = run.next % run.bytes.length;
  run.next += 1;
  return index;
}
