import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

const CONFIG = '{}';
const TYPE = 'application/vnd.oci.image.manifest.v1+json';

/** An image without layers. */
export const MANIFEST = JSON.stringify({
  mediaType: TYPE,
  config: { digest: digestOf(CONFIG), size: CONFIG.length },
  layers: [],
});
export const MANIFEST_DIGEST = digestOf(MANIFEST);

/** `index.json` of an OCI layout with the image. */
export const INDEX = JSON.stringify({ manifests: [{ digest: MANIFEST_DIGEST, mediaType: TYPE }] });

/** Answers as a registry that has the image under every name, and accepts every upload. */
export function answerAsRegistry(method: string | undefined, path: string, response: ServerResponse): void {
  const content = path.includes('/blobs/') ? CONFIG : MANIFEST;
  response.setHeader('docker-content-digest', digestOf(content));
  response.statusCode = method === 'PUT' ? 201 : 200;
  response.end(method === 'GET' ? content : undefined);
}
