import {
  CoreV1Api,
  KubeConfig,
  makeInformer,
  type KubernetesListObject,
  type KubernetesObject,
} from '@kubernetes/client-node';
import { handle, NAMESPACE, say, type Said } from '#bench/comparisons/operator-frameworks/told.ts';

/**
 * client-node's informer. With the argument `guarded` as its own example uses it, started again 5 s after an
 * error, and with a handler for unhandled rejections that keeps the process alive.
 */
const guarded = process.argv[2] === 'guarded';
const config = new KubeConfig();
config.loadFromDefault();
const api = config.makeApiClient(CoreV1Api);

async function watch<T extends KubernetesObject>(
  kind: Said['kind'],
  plural: string,
  list: () => Promise<KubernetesListObject<T>>,
): Promise<void> {
  const informer = makeInformer(config, `/api/v1/namespaces/${NAMESPACE}/${plural}`, list);
  const on = (change: Said['change']) => (object: T) => {
    const said = { change, kind, name: object.metadata?.name ?? '', uid: object.metadata?.uid ?? '' };
    say({ ...said, what: 'heard' });
    void handle(said);
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
// An informer that has given up leaves nothing to wait for; an operator would serve its health port.
setInterval(() => undefined, 60_000);
