import { ApiError, orThrow } from '#adapters/kubernetes/api/answer.ts';
import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { inClusterConnection } from '#adapters/kubernetes/api/connection.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { NAMESPACE, type Calls } from '#bench/comparisons/api-clients/calls.ts';
import { serve } from '#bench/comparisons/api-clients/serve.ts';

/* Millrace's own client, connected as in a Pod. */

const { MEASURE_PORT = '', MEASURE_FAULTY_PORT = '', MEASURE_FOLDER = '' } = process.env;
const kind = KINDS.configMaps;

function callsTo(port: string): Calls {
  const client = new ApiClient(inClusterConnection({ host: '127.0.0.1', port }, MEASURE_FOLDER));
  return {
    get: async (name) => orThrow(await client.get(kind, { namespace: NAMESPACE, name }), 'get'),
    list: async (namespace) => {
      let count = 0;
      const answer = await client.list(kind, { namespace }, (items) => {
        count += items.length;
      });
      orThrow(answer, 'list');
      return count;
    },
    apply: async (name, text) =>
      orThrow(
        await client.apply(kind, { metadata: { name, namespace: NAMESPACE }, data: { text } }),
        'apply',
      ),
    replaceStale: async (name) =>
      orThrow(
        await client.replace(kind, { metadata: { name, namespace: NAMESPACE, resourceVersion: '1' } }),
        'replace',
      ),
  };
}

function describe(error: unknown): string {
  if (!(error instanceof ApiError)) return `threw ${String(error)}`;
  const { status, reason, message, retryAfterSeconds } = error.problem;
  return JSON.stringify({ status, reason, message, retryAfterSeconds });
}

await serve({ real: callsTo(MEASURE_PORT), faulty: callsTo(MEASURE_FAULTY_PORT), describe });
