import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { waitForWorkloads } from './install.ts';

/* Uses fake programs named kubectl: one prints a Deployment, another hangs. */
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-kubectl-'));
  const env = { ...process.env, CLUSTER: 'existing', PATH: `${folder}:${process.env['PATH'] ?? ''}` };
  jest.replaceProperty(process, 'env', env);
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

function kubectlPrints(text: string): void {
  writeFileSync(join(folder, 'answer'), text);
  writeFileSync(join(folder, 'kubectl'), `#!/bin/sh\ncat ${join(folder, 'answer')}\n`, { mode: 0o755 });
}

function deployment(readyReplicas: number): string {
  const status = { observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas };
  const metadata = { name: 'millrace-operator', generation: 1 };
  return JSON.stringify({ items: [{ metadata, spec: { replicas: 2 }, status }] });
}

test('the wait reports each change until all Pods are ready', async () => {
  kubectlPrints(deployment(1));
  const reports: string[] = [];
  await waitForWorkloads((lines) => {
    reports.push(...lines);
    kubectlPrints(deployment(2));
  });
  expect(reports).toEqual(['· operator         1/2 ready', '✔ operator         2/2 ready']);
});

test('a signal ends the wait for Pods that never get ready', async () => {
  kubectlPrints(deployment(0));
  const stop = new AbortController();
  const waiting = waitForWorkloads(() => setTimeout(() => stop.abort(), 100), stop.signal);
  await expect(waiting).rejects.toThrow('abort');
});

test('a signal ends a kubectl that hangs', async () => {
  writeFileSync(join(folder, 'kubectl'), '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
  const waiting = waitForWorkloads(() => undefined, AbortSignal.timeout(200));
  await expect(waiting).rejects.toThrow('kubectl');
});
