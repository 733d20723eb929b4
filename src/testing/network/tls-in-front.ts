import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeCertificate } from './certificate.ts';

/** Terminates HTTPS like an Ingress and forwards to an address without TLS. */
export async function tlsInFront(
  base: string,
): Promise<{ port: number; cert: string; close(): Promise<void> }> {
  const { key, cert } = await makeCertificate('front');
  const server = createServer({ key, cert }, (asked, answer) => {
    const { method, headers, url } = asked;
    const inner = request(new URL(url ?? '/', base), { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
      got.on('error', () => answer.destroy());
    });
    inner.on('error', () => answer.destroy());
    answer.on('close', () => inner.destroy());
    asked.pipe(inner);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  return {
    cert,
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
