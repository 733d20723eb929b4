import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeCertificate } from './certificate.ts';

/** Terminates HTTPS like an Ingress and forwards to an address without TLS. */
export async function tlsInFront(
  base: string,
): Promise<{ port: number; cert: string; close(): Promise<void> }> {
  const { key, cert } = await makeCertificate('front');
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const inner = request(new URL(url ?? '/', base), { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
      response.on('error', () => outgoing.destroy());
    });
    inner.on('error', () => outgoing.destroy());
    outgoing.on('close', () => inner.destroy());
    incoming.pipe(inner);
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
