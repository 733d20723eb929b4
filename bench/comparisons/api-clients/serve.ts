import { createInterface } from 'node:readline';
import { nameOf, NAMESPACE, type Calls, type Report, type Task } from './calls.ts';

/** A client connected to the API server and to the faulty server. */
export interface Client {
  real: Calls;
  faulty: Calls;
  /** What a user of the client can learn from a thrown error. */
  describe(error: unknown): string;
}

/** Runs the tasks that arrive on standard input, each as soon as it arrives. */
export async function serve(client: Client): Promise<void> {
  printReport({ id: 0, ms: 0, cpuMs: 0, samples: [], outcome: 'loaded' });
  for await (const line of createInterface({ input: process.stdin })) {
    const task: Task = JSON.parse(line);
    void perform(client, task);
  }
}

const printReport = (report: Report): boolean => process.stdout.write(`${JSON.stringify(report)}\n`);

async function perform(client: Client, task: Task): Promise<void> {
  const samples: number[] = [];
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const outcome = await result(client, task, samples);
  const { user, system } = process.cpuUsage(cpu);
  printReport({
    id: task.id,
    ms: performance.now() - startedAt,
    cpuMs: (user + system) / 1000,
    samples,
    outcome,
  });
}

async function result(client: Client, task: Task, samples: number[]): Promise<string> {
  try {
    return await (task.kind === 'ask' ? ask(client, task) : work(client.real, task, samples));
  } catch (error) {
    return client.describe(error);
  }
}

async function ask({ real, faulty }: Client, { call = 'get', server, argument = '' }: Task): Promise<string> {
  const calls = server === 'faulty' ? faulty : real;
  const value = await calls[call](argument);
  return `ok: ${JSON.stringify(value).slice(0, 300)}`;
}

async function work(calls: Calls, { kind, count }: Task, samples: number[]): Promise<string> {
  const timed = async (call: () => Promise<unknown>): Promise<void> => {
    const startedAt = performance.now();
    await call();
    samples.push(performance.now() - startedAt);
  };
  if (kind === 'list') return `${await calls.list(NAMESPACE)} objects`;
  if (kind === 'get at once') {
    await Promise.all(Array.from({ length: count }, (_, index) => timed(() => calls.get(nameOf(index)))));
    return 'done';
  }
  for (let index = 0; index < count; index += 1) {
    const name = nameOf(index);
    await timed(() => (kind === 'apply' ? calls.apply(name, `text ${Date.now()}`) : calls.get(name)));
  }
  return 'done';
}
