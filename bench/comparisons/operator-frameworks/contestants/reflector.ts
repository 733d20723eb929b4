import { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { inClusterConnection } from '#adapters/kubernetes/api/connection.ts';
import { KINDS, type ApiKind } from '#adapters/kubernetes/api/kinds.ts';
import { WorkQueue } from '#adapters/kubernetes/watch/queue.ts';
import { Reflector } from '#adapters/kubernetes/watch/reflector.ts';
import type { CachedObject } from '#adapters/kubernetes/watch/store.ts';
import { handle, NAMESPACE, printReport } from '#bench/comparisons/operator-frameworks/reports.ts';

/** Millrace's own reflector and queue, connected as in a Pod and with their default times. */
const { MEASURE_PORT: port = '', MEASURE_FOLDER: folder = '' } = process.env;
const client = new ApiClient(inClusterConnection({ host: '127.0.0.1', port }, folder));

interface WatchedObject {
  metadata?: { name?: string; namespace?: string; uid?: string; resourceVersion?: string };
}

function cachedObjectOf({ metadata = {} }: WatchedObject): CachedObject {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata;
  return { name, namespace, uid, resourceVersion };
}

function watch<T extends WatchedObject>(kind: ApiKind<T>, kindName: 'ConfigMap' | 'Secret'): void {
  const queue = new WorkQueue({
    concurrency: 4,
    onError: (key, error) => console.error(key, error),
    work: async (key) => {
      const object = reflector.store.get(key);
      if (object !== undefined) {
        await handle({ change: 'work', kind: kindName, name: object.name, uid: object.uid });
      }
      return 'done';
    },
  });
  const reflector = new Reflector(client, {
    kind,
    namespace: NAMESPACE,
    project: cachedObjectOf,
    changed: ({ type, key, object }) => {
      printReport({ phase: 'received', change: type, kind: kindName, name: object.name, uid: object.uid });
      queue.add(key);
    },
    onProblem: (problem) => console.error(problem.reason, problem.message),
  });
  reflector.start();
}

watch(KINDS.configMaps, 'ConfigMap');
watch(KINDS.secrets, 'Secret');
