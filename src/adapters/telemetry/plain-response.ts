import type { IncomingMessage, ServerResponse } from 'node:http';

/** For servers that need no framework: those that only the cluster reaches. */
export function answerPlainly(
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

/** Without what is asked of it. */
export function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?')[0] ?? '';
}
