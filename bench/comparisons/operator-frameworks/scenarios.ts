import { setTimeout as sleep } from 'node:timers/promises';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import type { Contestant } from './contestant.ts';
import type { ThrowAwayServer } from './server.ts';
import { NAMESPACE, SLOW_MS } from './told.ts';

/** What one scenario found of one contestant. */
export type Finding = Record<string, number | boolean | string>;

interface Ring {
  server: ThrowAwayServer;
  client: ApiClient;
  /** All of them see everything at the same time, on the same server. */
  contestants: readonly Contestant[];
  /** Makes names differ between rounds. */
  round: string;
}

export type Scenario = (ring: Ring) => Promise<Map<string, Finding>>;

const DOWN_MS = 3000;
const WAIT_MS = 40_000;
const AGAIN_MS = 15_000;

const each = async (ring: Ring, find: (one: Contestant) => Promise<Finding>): Promise<Map<string, Finding>> =>
  new Map(
    await Promise.all(
      ring.contestants.map(async (one): Promise<[string, Finding]> => [one.name, await find(one)]),
    ),
  );

const configMap = (name: string, text = '') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: NAMESPACE },
  data: { text },
});

async function create(client: ApiClient, name: string): Promise<string> {
  const made = orThrow(await client.create(KINDS.configMaps, configMap(name)), `create ${name}`);
  return made.metadata?.uid ?? '';
}

/** The API server is killed and comes back 3 s later; an object is made once it answers again. */
export const restart: Scenario = async (ring) => {
  const { server, client, round } = ring;
  await server.killApi();
  await sleep(DOWN_MS);
  await server.startApi();
  const name = `after-${round}`;
  const made = Date.now();
  await create(client, name);
  return each(ring, async (one) => {
    const heard = await one.hears((said) => said.name === name, WAIT_MS);
    return {
      arrived: heard !== undefined,
      ms: heard === undefined ? Number.NaN : heard.at - made,
      alive: one.alive,
    };
  });
};

/** A handler throws once; then another object is made. */
export const throwing: Scenario = async (ring) => {
  const { client, round } = ring;
  const name = `throws-${round}`;
  await create(client, name);
  await sleep(1000);
  await create(client, `next-${round}`);
  return each(ring, async (one) => {
    const again = await one.hears((said) => said.what === 'ended' && said.name === name, AGAIN_MS);
    const next = await one.hears((said) => said.what === 'ended' && said.name === `next-${round}`, 1000);
    return { again: again !== undefined, next: next !== undefined, alive: one.alive };
  });
};

/** A handler works for 6 s; meanwhile an object of another kind is made, and the same object is changed. */
export const slow: Scenario = async (ring) => {
  const { client, round } = ring;
  const name = `slow-${round}`;
  await create(client, name);
  await sleep(500);
  const made = Date.now();
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `quick-${round}`, namespace: NAMESPACE },
  };
  orThrow(await client.create(KINDS.secrets, secret), 'create a Secret');
  const patch = { data: { text: 'changed' } };
  orThrow(await client.patchMerge(KINDS.configMaps, { namespace: NAMESPACE, name }, patch), `change ${name}`);
  return each(ring, async (one) => {
    const quick = await one.hears(
      (said) => said.what === 'begun' && said.name === `quick-${round}`,
      3 * SLOW_MS,
    );
    await one.hears(
      () => one.said.filter((said) => said.what === 'begun' && said.name === name).length > 1,
      3 * SLOW_MS,
    );
    const ours = one.said.filter((said) => said.name === name && said.what !== 'heard');
    const overlapping =
      ours.findIndex(({ what }, at) => what === 'begun' && ours[at - 1]?.what === 'begun') !== -1;
    return { ms: quick === undefined ? Number.NaN : quick.at - made, overlapping };
  });
};

/**
 * While a contestant stands still and has lost its connection, an object is deleted and another one takes its
 * name; history is compacted and the API server starts with an empty watch cache.
 */
export const recreated: Scenario = async (ring) => {
  const { server, client, contestants, round } = ring;
  const name = `twice-${round}`;
  const first = await create(client, name);
  await each(ring, async (one) => ({
    seen: (await one.hears((said) => said.name === name, 5000)) !== undefined,
  }));
  for (const one of contestants) one.signal('SIGSTOP');
  await server.killApi();
  await server.startApi();
  orThrow(await client.delete(KINDS.configMaps, { namespace: NAMESPACE, name }, {}), `delete ${name}`);
  const second = await create(client, name);
  await create(client, `filler-${round}`);
  await server.killApi();
  await server.startApi();
  await server.compact();
  for (const one of contestants) one.signal('SIGCONT');
  return each(ring, async (one) => {
    await one.hears((said) => said.name === name && said.uid === second, WAIT_MS);
    const heard = one.said.filter((said) => said.name === name && said.what === 'heard').slice(1);
    const changes = heard.map(({ change, uid }) => `${change} ${uid === first ? 'the first' : 'the second'}`);
    return { changes: changes.join(', ') || 'nothing', alive: one.alive };
  });
};

/** Nothing happens for a while. */
export const idle: Scenario = async (ring) => {
  await sleep(20_000);
  return each(ring, async (one) => ({ megabytes: one.memory() }));
};
