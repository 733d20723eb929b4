import { guardedRequests } from '#adapters/fetch/guarded-request.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { imageRegistry } from '#adapters/registry/image-registry.ts';
import type { InternalGatewayConfig } from '#config';
import { createFairPool } from '#domain/scheduling/fair-pool.ts';
import type { ImageLookUps, ImageStore, LookUpAnswer } from '#flows/builds/image-ports.ts';
import { lookUpImage, MAX_LOOK_UPS } from '#flows/builds/look-up-image.ts';
import { createCache } from '#flows/views/cache.ts';
import { imagePulls } from './image-pulls.ts';

interface Parts {
  client: Pick<ApiClient, 'get'>;
  images: ImageStore;
  registries: InternalGatewayConfig['imageRegistries'];
}

/**
 * Looks images up in their registries. Concurrent calls for the same image, architecture and namespace share
 * one look-up.
 */
export function imageLookUps({
  client,
  images,
  registries,
}: Parts): ImageLookUps & { close(): Promise<void> } {
  const { allowedRanges, plainHttp } = registries;
  const requests = guardedRequests({ allowedRanges });
  const ports = {
    images,
    pulls: imagePulls(client),
    registry: imageRegistry({ send: requests.send, plainHttp }),
    seats: createFairPool(Array.from({ length: MAX_LOOK_UPS }, (_, seat) => seat)),
    now: () => new Date(),
  };
  // The database stores the results. This cache stores nothing: it only lets concurrent calls share a running
  // look-up.
  const running = createCache<LookUpAnswer>({ maxSize: 0, skips: () => true });
  return {
    lookUp: async (key, podName) => {
      const { namespace, image, architecture } = key;
      const name = JSON.stringify([namespace, image, architecture]);
      return await running.get(name, async () => await lookUpImage(key, podName, ports));
    },
    close: async () => await requests.close(),
  };
}
