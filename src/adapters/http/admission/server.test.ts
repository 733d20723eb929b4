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
const VALID: ManifestDiagnosis = { errors: [], warnings: [] };

let authority: CertificateAndKey;
let certificate: CertificateAndKey;
beforeAll(async () => {
  authority = await makeAuthority('test', new Date());
  certificate = await makeServerCertificate(authority, [HOST], new Date());
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
    diagnose: async () => VALID,
    log: createLog('silent', 'test'),
    reviewed: (result) => results.push(result),
    ...parts,
  });
  server.setSecureContext({ cert: certificate.certificate, key: certificate.key });
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

interface RequestOptions {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
  agent?: Agent;
}

interface ResponseParts {
  status: number;
  body: string;
  connection: string | undefined;
}

function sendReview(options: RequestOptions = {}): Promise<ResponseParts> {
  const {
    method = 'POST',
    path = '/validate-pipeline?timeout=3s',
    headers,
    body = review('x'),
    agent,
  } = options;
  const address = server?.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return new Promise((resolve, reject) => {
    const clientRequest = request(
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
    clientRequest.on('error', reject);
    clientRequest.end(body);
  });
}

describe('an admission review', () => {
  test.each<[string, ManifestDiagnosis, boolean, ReviewResult]>([
    ['allows a valid text', VALID, true, 'allowed'],
    ['rejects an invalid text', { errors: ['1:1: no'], warnings: [] }, false, 'refused'],
  ])('%s', async (_, diagnosis, allowed, result) => {
    const diagnosedManifests: ManifestText[] = [];
    await start({
      diagnose: async (manifest) => {
        diagnosedManifests.push(manifest);
        return diagnosis;
      },
    });
    const { status, body } = await sendReview();
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ response: { uid: 'u1', allowed } });
    expect(diagnosedManifests).toEqual([{ config: 'x', vars: {}, varsElsewhere: false }]);
    expect(results).toEqual([result]);
  });

  test('allows the manifest with a warning if the check fails', async () => {
    await start({
      diagnose: async () => {
        throw new Error('no engine');
      },
    });
    const { body } = await sendReview();
    expect(JSON.parse(body)).toMatchObject({ response: { allowed: true } });
    expect(body).toContain('could not be checked now');
    expect(body).not.toContain('no engine');
    expect(results).toEqual(['unchecked']);
  });

  test('allows the manifest with a warning after a timeout, and does not diagnose queued manifests that timed out', async () => {
    let diagnoseCalls = 0;
    const { promise: diagnosis, resolve: finishDiagnosis } = Promise.withResolvers<ManifestDiagnosis>();
    await start({
      maxReviewMs: 20,
      diagnose: () => {
        diagnoseCalls += 1;
        return diagnosis;
      },
    });
    const answers = await Promise.all([sendReview(), sendReview()]);
    for (const { body } of answers) expect(body).toContain('could not be checked in time');
    expect(results).toEqual(['unchecked', 'unchecked']);
    finishDiagnosis(VALID);
    await diagnosis;
    expect(diagnoseCalls).toBe(1);
  });
});

describe('the admission server rejects', () => {
  test.each<[string, RequestOptions, number]>([
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
  ])('%s', async (_, options, expected) => {
    await start();
    const { status, connection } = await sendReview(options).catch((error: unknown) => {
      // The server may close the connection before the client has sent its body and read the response.
      if (expected === 413 && Error.isError(error) && /EPIPE|ECONNRESET/.test(error.message))
        return { status: 413, connection: 'close' };
      throw error;
    });
    expect(status).toBe(expected);
    expect(connection).toBe('close');
    expect(results).toEqual([]);
  });

  test('a review while sixteen others run', async () => {
    const { promise, resolve: finishDiagnosis } = Promise.withResolvers<ManifestDiagnosis>();
    await start({ diagnose: () => promise, maxReviewMs: 60_000 });
    const agent = new Agent({ keepAlive: false });
    const allArrived = Promise.withResolvers<void>();
    let count = 0;
    server?.on('request', () => {
      count += 1;
      if (count === 16) allArrived.resolve();
    });
    const sixteenReviews = Array.from({ length: 16 }, () => sendReview({ agent }));
    await allArrived.promise;
    expect((await sendReview({ agent })).status).toBe(503);
    finishDiagnosis(VALID);
    expect((await Promise.all(sixteenReviews)).map(({ status }) => status)).toEqual(Array(16).fill(200));
    expect(await sendReview()).toMatchObject({ status: 200 });
  });
});

test('a client that disconnects during a request causes no error, and the next request is answered', async () => {
  const logLines: string[] = [];
  await start({ log: createLog('info', 'test', { write: (line) => logLines.push(line) }) });
  const address = server?.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const options = { host: '127.0.0.1', port, ca: authority.certificate, servername: HOST };
  const headers = { 'content-type': 'application/json', 'content-length': '1000' };
  const clientRequest = request({
    ...options,
    method: 'POST',
    path: '/validate-pipeline',
    headers,
    agent: false,
  });
  const connectionClosed = new Promise((resolve) => clientRequest.on('error', resolve));
  const requestArrived = new Promise((resolve) => server?.once('request', resolve));
  clientRequest.write('{');
  await requestArrived;
  clientRequest.destroy(new Error('gone'));
  await connectionClosed;
  expect((await sendReview()).status).toBe(200);
  expect(logLines).toEqual([]);
});

test('the server closes each connection after its response while it drains', async () => {
  await start({ draining: () => true });
  const agent = new Agent({ keepAlive: true });
  expect((await sendReview({ agent })).connection).toBe('close');
  agent.destroy();
});

test('the server accepts no connection before it has a certificate', async () => {
  server = createAdmissionServer({ diagnose: async () => VALID, log: createLog('silent', 'test') });
  await new Promise<void>((resolve) => {
    server?.listen(0, '127.0.0.1', resolve);
  });
  await expect(sendReview()).rejects.toThrow();
});
