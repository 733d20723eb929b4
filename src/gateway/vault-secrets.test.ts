import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { vaultSource } from './vault-secrets.ts';

test('if Vault never answers, all lookups of one call fail as transient at the time limit', async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const team = JSON.parse('{ "spec": { "sources": { "allowHTTP": true } } }');
  const source = vaultSource({ get: async () => ({ ok: true as const, value: team }) }, ['127.0.0.0/8'], 300);
  const config = { address: `http://127.0.0.1:${port}`, token: 'root' };
  const lookups = Array.from({ length: 20 }, (_, index) => ({
    name: `s${index}`,
    source: 'vault',
    path: `kv/${index}`,
    key: 'a',
    config,
  }));
  const begun = performance.now();
  const answers = await source({ team: 'main', namespace: 'main', pipelineId: 1 }, lookups);
  expect(performance.now() - begun).toBeLessThan(4000);
  expect(new Set(answers.map((answer) => 'transient' in answer && answer.transient))).toEqual(
    new Set([true]),
  );
  server.closeAllConnections();
  server.close();
});
