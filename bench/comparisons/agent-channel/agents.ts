import { constants, createHash, createHmac, timingSafeEqual, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type TLSSocket } from 'node:tls';
import { shimKey, type Frame, type Seals } from '#adapters/process/sealed-frames.ts';
import { ShimConnection } from '#adapters/process/shim-connection.ts';
import { ShimServer } from '#adapters/process/shim-server.ts';
import type { Pair } from '#tools/cluster/certificates.ts';

/** The agent's end of the channel for one shim. */
export interface AgentEnd {
  port: number;
  /** Environment variables of the shim that only this channel needs. */
  environment: Record<string, string>;
  connected: Promise<ShimConnection>;
}

export const CONTAINER = 'step';
const TIMEOUT_MS = 20_000;

/** The agent's end of the sealed channel, which Millrace uses. */
export async function sealedAgent(secret: string): Promise<AgentEnd> {
  const server = new ShimServer(secret);
  const port = await server.listen(0);
  const connected = server.gather([CONTAINER], TIMEOUT_MS).then((connections) => {
    const connection = connections.get(CONTAINER);
    if (connection === undefined) throw new Error('The shim did not connect.');
    return connection;
  });
  return { port, environment: {}, connected };
}

const PROOF_BYTES = 32;
const TAG_BYTES = 16;
const HEADER_BYTES = 5;

/**
 * TLS 1.3 with a pinned certificate. The container proves its key with exported keying material. Adds the
 * protocol and cipher to `negotiated`.
 */
export async function tlsAgent(secret: string, pair: Pair, negotiated: Set<string>): Promise<AgentEnd> {
  const cert = readFileSync(pair.certificate);
  const server = createServer({
    cert,
    key: readFileSync(pair.key),
    minVersion: 'TLSv1.3',
    secureOptions: constants.SSL_OP_NO_TICKET,
    noDelay: true,
  });
  server.listen({ host: '127.0.0.1', port: 0, exclusive: true });
  await once(server, 'listening');
  const address = server.address();
  const connected = new Promise<ShimConnection>((resolve, reject) => {
    server.once('tlsClientError', reject);
    server.once('secureConnection', (socket) => {
      server.close();
      negotiated.add(`${socket.getProtocol() ?? ''} ${socket.getCipher().name}`);
      shakeHands(socket, secret, resolve);
    });
  });
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    environment: { MEASURE_PIN: createHash('sha256').update(new X509Certificate(cert).raw).digest('hex') },
    connected,
  };
}

/**
 * Reads the name and the proof of a container. Calls `accept` if the proof is right, else closes the socket.
 */
function shakeHands(socket: TLSSocket, secret: string, accept: (connection: ShimConnection) => void): void {
  let bytes = Buffer.alloc(0);
  const readHello = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk]);
    const size = 1 + (bytes[0] ?? 0) + PROOF_BYTES;
    if (bytes.length < size) return;
    socket.off('data', readHello);
    const container = bytes.toString('utf8', 1, size - PROOF_BYTES);
    const exported = socket.exportKeyingMaterial(
      PROOF_BYTES,
      'EXPERIMENTAL millrace shim',
      Buffer.from(container),
    );
    const expected = createHmac('sha256', shimKey(secret, container)).update(exported).digest();
    if (!timingSafeEqual(expected, bytes.subarray(size - PROOF_BYTES, size))) {
      socket.destroy();
      return;
    }
    const connection = new ShimConnection(container, socket, unsealed);
    connection.begin(bytes.subarray(size));
    accept(connection);
  };
  socket.on('data', readHello);
}

/** Frames of the same format, without encryption. Their tags are zeros. */
const unsealed: Seals = {
  seal: ({ kind, id, payload }: Frame) => {
    const header = Buffer.alloc(4 + HEADER_BYTES);
    header.writeUInt32BE(HEADER_BYTES + payload.length + TAG_BYTES, 0);
    header.writeUInt8(kind, 4);
    header.writeUInt32BE(id, 5);
    return Buffer.concat([header, payload, Buffer.alloc(TAG_BYTES)]);
  },
  open: (frame: Buffer) => ({
    kind: frame.readUInt8(0),
    id: frame.readUInt32BE(1),
    payload: frame.subarray(HEADER_BYTES, frame.length - TAG_BYTES),
  }),
};
