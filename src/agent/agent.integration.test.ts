import { webcrypto } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SessionResponse } from '#domain/build/agent-protocol.ts';
import type { Plan, PlanStep } from '#domain/planning/plan.ts';
import { buildShim, bundleAgent } from './testing/build.ts';
import { FakeGateway, type Certificate } from './testing/fake-gateway.ts';
import { ended, LocalPod } from './testing/local-pod.ts';

let shim = '';
let bundle = '';
let certificate: Certificate = { key: '', cert: '' };

beforeAll(async () => {
  [shim, bundle, certificate] = await Promise.all([buildShim(), bundleAgent(), makeCertificate()]);
}, 120_000);

let pod = new LocalPod();
let gateway: FakeGateway;

beforeEach(async () => {
  pod = new LocalPod();
  await pod.open();
});

afterEach(async () => {
  await pod.close();
  await gateway.close();
});

describe('a build', () => {
  test('runs its steps in order and tells all of it', async () => {
    const agent = await start(
      plan([sh('echo one; echo KEY=v >> $SVC_OUTPUT'), sh('echo two $TASK_0_KEY >&2')]),
    );
    expect(await ended(agent)).toBe(0);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded', reason: 'AllStepsSucceeded' });
    expect(gateway.log('0')).toBe('one\n');
    expect(gateway.log('1')).toBe('two v\n');
    expect(pod.termination()).toMatchObject({ outcome: 'succeeded', exits: { '0': 0, '1': 0 } });
  });

  test('expands references to the build and to earlier steps in the parameters of a put, and nowhere else', async () => {
    const params = { tag: 'v-$BUILD_NUMBER-${TASK_0_KEY}', note: '$HOME' };
    const put = {
      kind: 'put' as const,
      params,
      env: { BUILD_NUMBER: '7', put_tag: params.tag, param_raw: '$BUILD_NUMBER' },
    };
    const agent = await start(
      plan([sh('echo KEY=k >> $SVC_OUTPUT'), sh('echo "$put_tag $param_raw" >&2', put)]),
    );
    expect(await ended(agent)).toBe(0);
    expect(gateway.log('1')).toBe('v-7-k $BUILD_NUMBER\n');
    expect(gateway.events).toContainEqual(
      expect.objectContaining({ type: 'step-ended', step: '1', version: { tag: 'v-7-k', note: '$HOME' } }),
    );
  });
});

async function start(work: Plan): Promise<ReturnType<LocalPod['startAgent']>> {
  gateway = new FakeGateway(certificate, { work: 'build', plan: work } satisfies SessionResponse);
  await gateway.open();
  for (const container of work.containers) pod.startShim(shim, container.name);
  return pod.startAgent(bundle, gateway.url, certificate.cert);
}

function plan(steps: Partial<PlanStep>[], more: Partial<Plan> = {}): Plan {
  return {
    format: 1,
    build: { id: '1', team: 'team', pipeline: 'p', job: 'j', number: '1', attempt: 1 },
    containers: [{ name: 'worker' }],
    workdir: pod.workdir,
    timeoutSeconds: 60,
    steps: steps.map((step, index) => ({
      id: String(index),
      kind: 'task',
      name: String(index),
      exports: `TASK_${index}_`,
      env: {},
      ...step,
    })),
    secrets: [],
    ...more,
  };
}

function sh(script: string, more: Partial<PlanStep> = {}): Partial<PlanStep> {
  return { command: { container: 'worker', argv: ['/bin/sh', '-e'], script }, ...more };
}

async function makeCertificate(): Promise<Certificate> {
  await import('reflect-metadata');
  const { SubjectAlternativeNameExtension, X509CertificateGenerator } = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = await X509CertificateGenerator.createSelfSigned(
    {
      keys,
      signingAlgorithm: algorithm,
      name: 'CN=gateway',
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + 3_600_000),
      extensions: [new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
    },
    webcrypto,
  );
  const exported = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    cert: made.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${exported}\n-----END PRIVATE KEY-----\n`,
  };
}
