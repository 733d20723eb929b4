import { setTimeout as sleep } from 'node:timers/promises';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import type { Contestant } from './contestant.ts';
import { NAMESPACE, SLOW_MS } from './reports.ts';
import type { ThrowAwayServer } from './server.ts';

/** What one contestant did in one scenario. */
export type ScenarioResult = Record<string, number | boolean | string>;

interface ScenarioContext {
  server: ThrowAwayServer;
  client: ApiClient;
  /** All contestants watch the same server at the same time. */
  contestants: readonly Contestant[];
  /** Makes names differ between rounds. */
  round: string;
}

export type Scenario = (context: ScenarioContext) => Promise<Map<string, ScenarioResult>>;

const DOWN_MS = 3000;
const WAIT_MS = 40_000;
const RETRY_WAIT_MS = 15_000;

const resultsOf = async (
  context: ScenarioContext,
  find: (contestant: Contestant) => Promise<ScenarioResult>,
): Promise<Map<string, ScenarioResult>> =>
  new Map(
    await Promise.all(
      context.contestants.map(async (contestant): Promise<[string, ScenarioResult]> => [
        contestant.name,
        await find(contestant),
      ]),
    ),
  );

const configMap = (name: string, text = '') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: NAMESPACE },
  data: { text },
});

async function create(client: ApiClient, name: string): Promise<string> {
  const created = orThrow(await client.create(KINDS.configMaps, configMap(name)), `create ${name}`);
  return created.metadata?.uid ?? '';
}

/** The API server is killed and started again 3 s later. Once it is ready, an object is created. */
export const restart: Scenario = async (context) => {
  const { server, client, round } = context;
  await server.killApi();
  await sleep(DOWN_MS);
  await server.startApi();
  const name = `after-${round}`;
  const createdAt = Date.now();
  await create(client, name);
  return resultsOf(context, async (contestant) => {
    const received = await contestant.waitForReport((report) => report.name === name, WAIT_MS);
    return {
      arrived: received !== undefined,
      ms: received === undefined ? Number.NaN : received.at - createdAt,
      alive: contestant.alive,
    };
  });
};

/** A handler throws once. Then another object is created. */
export const throwing: Scenario = async (context) => {
  const { client, round } = context;
  const name = `throws-${round}`;
  await create(client, name);
  await sleep(1000);
  await create(client, `next-${round}`);
  return resultsOf(context, async (contestant) => {
    const again = await contestant.waitForReport(
      (report) => report.phase === 'ended' && report.name === name,
      RETRY_WAIT_MS,
    );
    const next = await contestant.waitForReport(
      (report) => report.phase === 'ended' && report.name === `next-${round}`,
      1000,
    );
    return { again: again !== undefined, next: next !== undefined, alive: contestant.alive };
  });
};

/**
 * A handler works on an object for 6 s. Meanwhile that object changes, and one of another kind is created.
 */
export const slow: Scenario = async (context) => {
  const { client, round } = context;
  const name = `slow-${round}`;
  await create(client, name);
  await sleep(500);
  const createdAt = Date.now();
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `quick-${round}`, namespace: NAMESPACE },
  };
  orThrow(await client.create(KINDS.secrets, secret), 'create a Secret');
  const patch = { data: { text: 'changed' } };
  orThrow(await client.patchMerge(KINDS.configMaps, { namespace: NAMESPACE, name }, patch), `change ${name}`);
  return resultsOf(context, async (contestant) => {
    const quick = await contestant.waitForReport(
      (report) => report.phase === 'started' && report.name === `quick-${round}`,
      3 * SLOW_MS,
    );
    await contestant.waitForReport(
      () =>
        contestant.reports.filter((report) => report.phase === 'started' && report.name === name).length > 1,
      3 * SLOW_MS,
    );
    const handling = contestant.reports.filter(
      (report) => report.name === name && report.phase !== 'received',
    );
    const overlapping = handling.some(
      ({ phase }, index) => phase === 'started' && handling[index - 1]?.phase === 'started',
    );
    return { ms: quick === undefined ? Number.NaN : quick.at - createdAt, overlapping };
  });
};

/**
 * The contestants are stopped and disconnected while an object is deleted and created again under its name.
 * Then the API server restarts, so its watch cache is empty, and the history is compacted before the
 * contestants continue.
 */
export const recreated: Scenario = async (context) => {
  const { server, client, contestants, round } = context;
  const name = `twice-${round}`;
  const first = await create(client, name);
  await resultsOf(context, async (contestant) => ({
    seen: (await contestant.waitForReport((report) => report.name === name, 5000)) !== undefined,
  }));
  for (const contestant of contestants) contestant.signal('SIGSTOP');
  await server.killApi();
  await server.startApi();
  orThrow(await client.delete(KINDS.configMaps, { namespace: NAMESPACE, name }, {}), `delete ${name}`);
  const second = await create(client, name);
  await create(client, `filler-${round}`);
  await server.killApi();
  await server.startApi();
  await server.compact();
  for (const contestant of contestants) contestant.signal('SIGCONT');
  return resultsOf(context, async (contestant) => {
    await contestant.waitForReport((report) => report.name === name && report.uid === second, WAIT_MS);
    const received = contestant.reports
      .filter((report) => report.name === name && report.phase === 'received')
      .slice(1);
    const changes = received.map(
      ({ change, uid }) => `${change} ${uid === first ? 'the first' : 'the second'}`,
    );
    return { changes: changes.join(', ') || 'nothing', alive: contestant.alive };
  });
};

/** The memory of the contestants after 20 s in which the scenario changes nothing. */
export const idle: Scenario = async (context) => {
  await sleep(20_000);
  return resultsOf(context, async (contestant) => ({ mebibytes: contestant.memory() }));
};
