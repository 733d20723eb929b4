import type { IncomingMessage, ServerResponse } from 'node:http';

/** Sends a text. For servers without a web framework, which only the cluster can reach. */
export function sendPlainly(
  response: ServerResponse,
  status: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  response.end(text);
}

/** Returns the path of a request without its query. */
export function pathWithoutQuery({ url = '' }: IncomingMessage): string {
  return url.split('?')[0] ?? '';
}
