import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { AgentFlows } from '#adapters/http/agent/agent-flows.ts';
import { readCertificate } from '#adapters/http/agent/certificate.ts';
import type { AgentApp } from '#adapters/http/agent/routes.ts';
import { createAgentServer } from '#adapters/http/agent/server.ts';
import {
  makeAuthority,
  makeServerCertificate,
  type CertificateAndKey,
} from '#adapters/kubernetes/secrets/certificates.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import { agentMetrics, createMetrics } from '#adapters/telemetry/metrics.ts';
import type { AgentWork } from '#domain/build/agent-protocol.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import type { WarmWorkAnswer } from '#flows/builds/begin-warm-work.ts';
import type { OperationAnswer } from '#flows/builds/fetch-secrets.ts';
import type { IdentityTokensAnswer } from '#flows/builds/identity-ports.ts';
import type { AgentSessionAnswer } from '#flows/builds/session-ports.ts';

/* For tests of the internal server. */
export const HOST = 'millrace-internal.test.svc';
export const KEY = 'k'.repeat(43);
export const BUILD: AgentSession & { kind: 'build' } = { kind: 'build', build: 41, attempt: 1 };
export const POD = { namespace: 'main', name: 'app-unit-7-1-abcde', uid: 'u1' };
export const NONCE = 'b.41.1.a-nonce-nobody-may-log';

export let authority: CertificateAndKey;
export let folder = '';
/** Starts the internal server before each test, with TLS and fake flows. */
export function useAgentServer(): void {
  beforeAll(async () => {
    authority = await makeAuthority('test', new Date());
    folder = mkdtempSync(join(tmpdir(), 'tls-'));
    await renew();
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  beforeEach(async () => {
    fake = fakeParts();
    lines = [];
    metrics = createMetrics('test', '0');
    app = createAgentServer({
      ...fake.parts,
      certificate: await readCertificate(folder),
      log: createLog('info', 'test', { write: (line) => void lines.push(line) }),
      metrics: agentMetrics(metrics.registry),
      readiness: async () => undefined,
      version: '0.0.0-test',
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    client = new Agent({ keepAlive: true, ca: authority.certificate, servername: HOST });
  });

  afterEach(async () => {
    client.destroy();
    await app.close();
  });
}

export async function renew(): Promise<CertificateAndKey> {
  const pair = await makeServerCertificate(authority, [HOST], new Date());
  writeFileSync(join(folder, 'tls.crt'), pair.certificate);
  writeFileSync(join(folder, 'tls.key'), pair.key);
  return pair;
}

/** Fake flows, sessions by the hash of their key, applied events, and listeners for cancels and warm Pods. */
export function fakeParts() {
  const sessions = new Map<string, AgentSession>();
  const applied: BuildEvent[] = [];
  const heard = new Set<() => void>();
  const state = {
    over: false,
    cancel: false,
    lookUps: 0,
    openings: 0,
    /** Opening a session waits for this. */
    gate: Promise.resolve(),
    answer: undefined as AgentSessionAnswer | undefined,
    identity: (step: string): IdentityTokensAnswer => ({ answer: 'refused', reason: `Not for ${step}.` }),
    early: undefined as AgentWork | undefined,
    warm: { answer: 'waiting', warm: 7 } as WarmWorkAnswer,
    secrets: { answer: 'unknown' } as OperationAnswer,
  };
  const flows: AgentFlows = {
    async openSession(_request, _peer, early) {
      state.openings += 1;
      await state.gate;
      if (state.early !== undefined) early(state.early);
      return state.answer ?? { answer: 'refused', reason: 'nobody said otherwise' };
    },
    async followBuild(_attempt, events) {
      if (state.over) return 'over';
      applied.push(...events);
      return { acknowledged: applied.length, cancel: state.cancel };
    },
    beginWarmWork: async () => state.warm,
    fetchSecrets: async () => state.secrets,
    issueIdentityTokens: async (_session, { step }) =>
      state.over ? { answer: 'over' } : state.identity(step),
    exchangeDebug: async () => ({ sessions: [] }),
    recordVersions: async () => (state.over ? 'over' : 'recorded'),
  };
  const parts = {
    flows,
    sessions: {
      async sessionOf(keyHash: string) {
        state.lookUps += 1;
        return sessions.get(keyHash);
      },
    },
    cancels: {
      on(_build: number, listener: () => void) {
        heard.add(listener);
        return () => heard.delete(listener);
      },
    },
    debugs: { on: () => () => undefined },
    warmPods: {
      on(_warm: number, listener: () => void) {
        heard.add(listener);
        return () => heard.delete(listener);
      },
    },
  };
  return { parts, sessions, applied, heard, state };
}

export let fake: ReturnType<typeof fakeParts>;
export let app: AgentApp;
export let lines: string[] = [];
export let metrics = createMetrics('test', '0');
let client: Agent;

export function port(): number {
  const address: AddressInfo | string | null = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

export interface Asked {
  method?: 'GET' | 'POST';
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** The address of the caller. */
  from?: string;
}

export async function open(
  path: string,
  { method = 'POST', key, body, headers = {}, from = '127.0.0.1' }: Asked,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request(
    {
      host: '127.0.0.1',
      port: port(),
      path,
      method,
      localAddress: from,
      agent: client,
      headers: {
        ...(method === 'POST' && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...headers,
      },
    },
    resolve,
  );
  outgoing.once('error', reject);
  outgoing.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
  return await promise;
}

export async function ask(path: string, asked: Asked): Promise<{ status: number; body: unknown }> {
  const answer = await open(path, asked);
  const text = (await answer.setEncoding('utf8').toArray()).join('');
  return { status: answer.statusCode ?? 0, body: JSON.parse(text) };
}

export const opened: AgentSessionAnswer = {
  answer: 'opened',
  session: BUILD,
  response: {
    work: 'build',
    plan: {
      format: 3,
      build: { id: '41', team: 'main', pipeline: 'app', job: 'unit', number: '7', attempt: 1 },
      containers: [],
      workdir: '/workdir',
      timeoutSeconds: 60,
      services: [],
      steps: [],
      notifications: [],
      variables: {},
    },
  },
};
export const SESSION_REQUEST = { key: KEY, pod: POD, nonce: NONCE };

export const openings = async (count: number, from = '127.0.0.1'): Promise<number[]> => {
  const statuses = [];
  for (let index = 0; index < count; index += 1)
    statuses.push((await ask('/agent/v1/session', { body: SESSION_REQUEST, from })).status);
  return statuses;
};
