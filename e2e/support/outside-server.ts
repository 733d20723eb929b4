import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { nodeAddress } from '#tools/cluster/addresses.ts';

/**
 * Stands in for what the sample pipeline with every construct uses outside the cluster, except git servers: a
 * registry's tags, a keychain, a chat, a pager, and the pages of two regions, one of which is down. It
 * listens on the node's address, which Pods can reach.
 */
export class OutsideServer {
  /** The received messages, each with the path that it was sent to. */
  readonly messages: string[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  /** Starts the server and returns its host and port. */
  open(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#server.on('error', reject);
      this.#server.listen(0, nodeAddress, () => {
        const address = this.#server.address();
        if (address === null || typeof address === 'string') reject(new Error('The server has no address.'));
        else resolve(`${address.address}:${address.port}`);
      });
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    const body = Buffer.concat(parts).toString('utf8');
    if (request.method === 'POST') this.messages.push(`${path}: ${textOf(body)}`);
    if (path === '/eu-central/health') response.writeHead(503).end();
    else if (path === '/v1/mobile/release')
      response.end(JSON.stringify({ data: { private_key: SIGNING_KEY } }));
    else if (path.endsWith('/tags'))
      response.end(JSON.stringify(path.includes('/base/') ? BASE_IMAGE_TAGS : []));
    else response.end();
  }
}

const BASE_IMAGE_TAGS = [{ name: '3.22', digest: 'sha256:ba5e' }];

/** The key that the keychain returns. */
export const SIGNING_KEY = 'a-signing-key-of-the-team';

/** Chats send JSON, the pager plain text. */
function textOf(body: string): string {
  if (!body.startsWith('{')) return body;
  const { text }: { text: string } = JSON.parse(body);
  return text;
}
