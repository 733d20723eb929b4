import {
  CoreV1Api,
  KubeConfig,
  makeInformer,
  type KubernetesListObject,
  type KubernetesObject,
} from '@kubernetes/client-node';
import {
  handle,
  NAMESPACE,
  printReport,
  type ContestantReport,
} from '#bench/comparisons/operator-frameworks/reports.ts';

/**
 * client-node's informer. With the argument `guarded` it restarts 5 s after an error, as its own example
 * shows, and a handler of unhandled rejections keeps the process alive.
 */
const guarded = process.argv[2] === 'guarded';
const config = new KubeConfig();
config.loadFromDefault();
const api = config.makeApiClient(CoreV1Api);

async function watch<T extends KubernetesObject>(
  kind: ContestantReport['kind'],
  plural: string,
  list: () => Promise<KubernetesListObject<T>>,
): Promise<void> {
  const informer = makeInformer(config, `/api/v1/namespaces/${NAMESPACE}/${plural}`, list);
  const on = (change: ContestantReport['change']) => (object: T) => {
    const report = { change, kind, name: object.metadata?.name ?? '', uid: object.metadata?.uid ?? '' };
    printReport({ ...report, phase: 'received' });
    void handle(report);
  };
  informer.on('add', on('added'));
  informer.on('update', on('updated'));
  informer.on('delete', on('deleted'));
  informer.on('error', (error: unknown) => {
    console.error(kind, error);
    if (guarded) setTimeout(() => void informer.start(), 5000);
  });
  await informer.start();
}

if (guarded) process.on('unhandledRejection', (error) => console.error('unhandled', error));
await watch('ConfigMap', 'configmaps', () => api.listNamespacedConfigMap({ namespace: NAMESPACE }));
await watch('Secret', 'secrets', () => api.listNamespacedSecret({ namespace: NAMESPACE }));
// Keeps the process alive if the informer gives up, like the health port of an operator.
setInterval(() => undefined, 60_000);
