import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { webhookToken } from '#adapters/crypto/digests.ts';
import { makeAuthority } from '#adapters/kubernetes/secrets/certificates.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import { freePort } from '#testing/network/free-port.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, WEBHOOK_KEY, type TestStores } from '#testing/stores/stores.ts';
import { startInternalGateway } from './internal.ts';
import { startPublicGateway } from './public.ts';
import type { Service } from './serve.ts';

/* Starts and stops both gateways, with a database that the test can disconnect. */
let stores: TestStores;
let folder = '';
let databaseProxy: ReturnType<typeof openDatabaseProxy>;
let tokenOfGit = '';

beforeAll(async () => {
  stores = await openStores();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline()));
  tokenOfGit = webhookToken(WEBHOOK_KEY, saved.resources[0]?.id ?? 0, 1);
  folder = mkdtempSync(join(tmpdir(), 'gateways-'));
  databaseProxy = openDatabaseProxy(stores.url, await freePort());
  await databaseProxy.connect();
});
afterAll(async () => {
  await databaseProxy.cut();
  await stores.close();
  rmSync(folder, { recursive: true });
});

/** A proxy in front of the database. The test can cut its connections and restore them. */
function openDatabaseProxy(url: string, port: number) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  const proxyUrl = new URL(url);
  proxyUrl.host = `127.0.0.1:${port}`;
  return {
    url: () => proxyUrl.href,
    async connect(): Promise<void> {
      const newServer = createServer((client) => {
        const database = connect(Number(target.port), target.hostname);
        for (const socket of [client, database]) {
          sockets.add(socket);
          socket.on('error', () => {});
          socket.on('close', () => sockets.delete(socket));
        }
        client.pipe(database).pipe(client);
      });
      server = newServer;
      await new Promise<void>((resolve) => {
        newServer.listen(port, '127.0.0.1', resolve);
      });
    },
    async cut(): Promise<void> {
      const closed = new Promise((resolve) => server?.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function commonConfig() {
  const port = await freePort();
  const metricsPort = await freePort();
  return {
    namespace: 'test',
    podName: 'test-0',
    release: 'millrace',
    logLevel: 'info' as const,
    externalUrl: undefined,
    database: { url: databaseProxy.url(), listenUrl: databaseProxy.url() },
    listen: { host: '127.0.0.1', port },
    metricsListen: { host: '127.0.0.1', port: metricsPort },
  };
}

/**
 * Repeats a request until it has this status. On a busy machine, a gateway may first answer that it is
 * overloaded.
 */
async function until(request: () => Promise<number>, expected: number): Promise<void> {
  while ((await request()) !== expected) await sleep(50);
}

/** Returns a function that sends this request and returns the status of the response. */
const statusOf =
  (url: string, method = 'GET') =>
  async (): Promise<number> => {
    const answer = await fetch(url, { method });
    await answer.arrayBuffer();
    return answer.status;
  };

describe('the public gateway', () => {
  test('is ready while the database is reachable, always alive, and stops in order', async () => {
    const config = await commonConfig();
    const log = createLog('silent', 'test');
    const service: Service = await startPublicGateway(
      {
        ...config,
        role: 'public',
        webhookKey: WEBHOOK_KEY,
        tokensFile: undefined,
        tokensSecret: undefined,
        storeKeysDirectory: undefined,
        sessionKey: WEBHOOK_KEY,
        sessionSeconds: 3600,
        idleSeconds: 0,
        tokenMaxSeconds: 0,
        oauthSecretsDirectories: [],
        cluster: undefined,
        oauthAllowedRanges: [],
        trustedProxies: [],
      },
      log,
    );
    const base = `http://127.0.0.1:${config.listen.port}`;
    const probe = `http://127.0.0.1:${config.metricsListen.port}`;
    const webhook = statusOf(`${base}/webhooks/${tokenOfGit}`, 'POST');
    expect(await statusOf(`${base}/health`)()).toBe(200);
    await until(webhook, 202);

    await databaseProxy.cut();
    await until(statusOf(`${probe}/readyz`), 503);
    expect([
      await statusOf(`${base}/health`)(),
      await webhook(),
      await statusOf(`${probe}/healthz`)(),
    ]).toEqual([503, 503, 200]);
    await databaseProxy.connect();
    await until(statusOf(`${probe}/readyz`), 200);
    await until(webhook, 202);

    service.drain();
    expect(await statusOf(`${probe}/readyz`)()).toBe(503);
    await until(webhook, 202);
    await service.close();
    await expect(fetch(base)).rejects.toThrow();
  });
});

describe('the internal gateway', () => {
  test('starts without the API server, over TLS, and stops in order', async () => {
    const authority = await makeAuthority('test', new Date());
    writeFileSync(join(folder, 'tls.crt'), authority.certificate);
    writeFileSync(join(folder, 'tls.key'), authority.key);
    const config = await commonConfig();
    const service = await startInternalGateway(
      {
        ...config,
        role: 'internal',
        agentKey: Buffer.alloc(32, 1),
        imageRegistries: { allowedRanges: [], plainHttp: [] },
        logLimitBytes: 64 * 1024 * 1024,
        vaultAllowedRanges: [],
        storeKeysDirectory: undefined,
        tlsDirectory: folder,
        cluster: { kind: 'in-cluster', host: '127.0.0.1', port: '1' },
      },
      createLog('silent', 'test'),
    );
    const outcome = await new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port: config.listen.port,
        path: '/health',
        rejectUnauthorized: false,
      };
      get(options, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).on('error', reject);
    });
    expect(outcome).toBe(200);
    await service.close();
  });
});
