import { Agent, request, type Server } from 'node:https';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  makeAuthority,
  makeServerCertificate,
  type CertificateAndKey,
} from '#adapters/kubernetes/secrets/certificates.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import type { ManifestDiagnosis, ManifestText } from '#flows/pipelines/diagnose-manifest.ts';
import { createAdmissionServer, type AdmissionServerParts, type ReviewResult } from './server.ts';

const HOST = 'millrace-webhook.test.svc';
const SOUND: ManifestDiagnosis = { errors: [], warnings: [] };

let authority: CertificateAndKey;
let pair: CertificateAndKey;
beforeAll(async () => {
  authority = await makeAuthority('test', new Date());
  pair = await makeServerCertificate(authority, [HOST], new Date());
});

let server: Server | undefined;
let results: ReviewResult[] = [];
afterEach(async () => {
  results = [];
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
});

async function start(parts: Partial<AdmissionServerParts> = {}): Promise<void> {
  server = createAdmissionServer({
    diagnose: async () => SOUND,
    log: createLog('silent', 'test'),
    reviewed: (result) => results.push(result),
    ...parts,
  });
  server.setSecureContext({ cert: pair.certificate, key: pair.key });
  await new Promise<void>((resolve) => {
    server?.listen(0, '127.0.0.1', resolve);
  });
}

const review = (config: string): string =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u1', name: 'demo', namespace: 'blue', object: { kind: 'Pipeline', spec: { config } } },
  });

interface Asked {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
  agent?: Agent;
}

interface Answered {
  status: number;
  body: string;
  connection: string | undefined;
}

function ask(asked: Asked = {}): Promise<Answered> {
  const {
    method = 'POST',
    path = '/validate-pipeline?timeout=3s',
    headers,
    body = review('x'),
    agent,
  } = asked;
  const address = server?.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: { 'content-type': 'application/json', ...headers },
        ca: authority.certificate,
        servername: HOST,
        agent: agent ?? false,
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            body: text,
            connection: answer.headers.connection,
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('an admission review', () => {
  test.each<[string, ManifestDiagnosis, boolean, ReviewResult]>([
    ['allows a valid text', SOUND, true, 'allowed'],
    ['rejects an invalid text', { errors: ['1:1: no'], warnings: [] }, false, 'refused'],
  ])('%s', async (_, diagnosis, allowed, result) => {
    const seen: ManifestText[] = [];
    await start({
      diagnose: async (manifest) => {
        seen.push(manifest);
        return diagnosis;
      },
    });
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ response: { uid: 'u1', allowed } });
    expect(seen).toEqual([{ config: 'x', vars: {}, varsElsewhere: false }]);
    expect(results).toEqual([result]);
  });

  test('allows the manifest with a warning if the check fails', async () => {
    await start({
      diagnose: async () => {
        throw new Error('no engine');
      },
    });
    const { body } = await ask();
    expect(JSON.parse(body)).toMatchObject({ response: { allowed: true } });
    expect(body).toContain('could not be checked now');
    expect(body).not.toContain('no engine');
    expect(results).toEqual(['unchecked']);
  });

  test('allows the manifest with a warning after a timeout, and reviews queued behind it are skipped', async () => {
    let begun = 0;
    const { promise: forever, resolve: end } = Promise.withResolvers<ManifestDiagnosis>();
    await start({
      maxReviewMs: 20,
      diagnose: () => {
        begun += 1;
        return forever;
      },
    });
    const answers = await Promise.all([ask(), ask()]);
    for (const { body } of answers) expect(body).toContain('could not be checked in time');
    expect(results).toEqual(['unchecked', 'unchecked']);
    end(SOUND);
    await forever;
    expect(begun).toBe(1);
  });
});

describe('the admission server rejects', () => {
  test.each<[string, Asked, number]>([
    ['another path', { path: '/' }, 404],
    ['a path below its own', { path: '/validate-pipeline/x' }, 404],
    ['another method', { method: 'PUT' }, 405],
    ['another content type', { headers: { 'content-type': 'text/plain' } }, 415],
    ['a body that is not JSON', { body: '{' }, 400],
    ['an empty body', { body: '' }, 400],
    ['JSON of another shape', { body: '[1]' }, 400],
    ['a body larger than 8 MiB', { body: 'x'.repeat(8 * 1024 * 1024 + 1) }, 413],
    [
      'a chunked body larger than 8 MiB',
      { body: 'x'.repeat(8 * 1024 * 1024 + 1), headers: { 'transfer-encoding': 'chunked' } },
      413,
    ],
  ])('%s', async (_, asked, expected) => {
    await start();
    const { status, connection } = await ask(asked).catch((error: unknown) => {
      // The server may close the connection before the client has sent its body and read the response.
      if (expected === 413 && error instanceof Error && /EPIPE|ECONNRESET/.test(error.message))
        return { status: 413, connection: 'close' };
      throw error;
    });
    expect(status).toBe(expected);
    expect(connection).toBe('close');
    expect(results).toEqual([]);
  });

  test('a review while sixteen others run', async () => {
    const { promise, resolve: go } = Promise.withResolvers<ManifestDiagnosis>();
    await start({ diagnose: () => promise, maxReviewMs: 60_000 });
    const agent = new Agent({ keepAlive: false });
    const seen = Promise.withResolvers<void>();
    let count = 0;
    server?.on('request', () => {
      count += 1;
      if (count === 16) seen.resolve();
    });
    const first = Array.from({ length: 16 }, () => ask({ agent }));
    await seen.promise;
    expect((await ask({ agent })).status).toBe(503);
    go(SOUND);
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual(Array(16).fill(200));
    expect(await ask()).toMatchObject({ status: 200 });
  });
});

test('a client that disconnects during a request causes no error, and the next request is answered', async () => {
  const logged: string[] = [];
  await start({ log: createLog('info', 'test', { write: (line) => logged.push(line) }) });
  const address = server?.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const options = { host: '127.0.0.1', port, ca: authority.certificate, servername: HOST };
  const headers = { 'content-type': 'application/json', 'content-length': '1000' };
  const asked = request({ ...options, method: 'POST', path: '/validate-pipeline', headers, agent: false });
  const gone = new Promise((resolve) => asked.on('error', resolve));
  const seen = new Promise((resolve) => server?.once('request', resolve));
  asked.write('{');
  await seen;
  asked.destroy(new Error('gone'));
  await gone;
  expect((await ask()).status).toBe(200);
  expect(logged).toEqual([]);
});

test('the server closes each connection after its response while it drains', async () => {
  await start({ draining: () => true });
  const agent = new Agent({ keepAlive: true });
  expect((await ask({ agent })).connection).toBe('close');
  agent.destroy();
});

test('the server accepts no connection before it has a certificate', async () => {
  server = createAdmissionServer({ diagnose: async () => SOUND, log: createLog('silent', 'test') });
  await new Promise<void>((resolve) => {
    server?.listen(0, '127.0.0.1', resolve);
  });
  await expect(ask()).rejects.toThrow();
});
