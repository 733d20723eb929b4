import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/*
 * The protocol between agent and shim; `src/agent/shim/link.go` implements the other end. A frame is a length
 * (4 bytes, big endian) and a sealed text: kind (1 byte), command id (4 bytes) and payload. Each text is
 * sealed with AES-256-GCM. Each direction has its own key, and its nonce counts the frames.
 */

export interface Frame {
  kind: number;
  id: number;
  payload: Buffer;
}

export interface Hello {
  container: string;
  nonce: Buffer;
  proof: Buffer;
  /** Length of the hello in bytes. Everything after the hello is sealed. */
  size: number;
}

export interface Seals {
  seal: (frame: Frame) => Buffer;
  open: (sealed: Buffer) => Frame;
}

const MAGIC = 'MRS1';
const NONCE_BYTES = 32;
const PROOF_BYTES = 32;
const TAG_BYTES = 16;
const HEADER_BYTES = 5;
const MAX_FRAME_BYTES = 16 * 1024 * 1024;

/**
 * Derives the key of one container's shim from the secret of the Pod (see `AGENT_ENVIRONMENT.shimSecret`).
 * The shim has only this key, not the secret.
 */
export function shimKey(secret: string, container: string): Buffer {
  return createHmac('sha256', Buffer.from(secret, 'base64url')).update(container).digest();
}

/**
 * Parses the first message of a shim. Returns undefined if more bytes are needed. Throws if the peer is not a
 * shim.
 */
export function readHello(bytes: Buffer): Hello | undefined {
  if (!MAGIC.startsWith(bytes.toString('latin1', 0, Math.min(bytes.length, MAGIC.length)))) {
    throw new Error('not a shim');
  }
  const nameBytes = bytes[MAGIC.length];
  if (nameBytes === undefined) return undefined;
  const start = MAGIC.length + 1 + nameBytes;
  const size = start + NONCE_BYTES + PROOF_BYTES;
  if (bytes.length < size) return undefined;
  return {
    container: bytes.toString('utf8', MAGIC.length + 1, start),
    nonce: bytes.subarray(start, start + NONCE_BYTES),
    proof: bytes.subarray(start + NONCE_BYTES, size),
    size,
  };
}

/** Checks the shim's proof and returns the agent's answer. Throws if the proof is wrong. */
export function answerHello(hello: Hello, key: Buffer): { answer: Buffer; seals: Seals } {
  const expected = mac(key, 'millrace shim', Buffer.from(hello.container), hello.nonce);
  if (!timingSafeEqual(expected, hello.proof)) {
    throw new Error(`the container ${hello.container} does not know its key`);
  }
  const nonce = randomBytes(NONCE_BYTES);
  return {
    answer: Buffer.concat([nonce, mac(key, 'millrace agent', hello.nonce, nonce)]),
    seals: {
      seal: sealer(mac(key, 'agent to shim', hello.nonce, nonce)),
      open: opener(mac(key, 'shim to agent', hello.nonce, nonce)),
    },
  };
}

function mac(key: Buffer, label: string, ...parts: Buffer[]): Buffer {
  const hmac = createHmac('sha256', key).update(label);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

function nonceCounter(): () => Buffer {
  let count = 0n;
  return () => {
    const nonce = Buffer.alloc(12);
    nonce.writeBigUInt64BE(count, 4);
    count += 1n;
    return nonce;
  };
}

function sealer(key: Buffer): (frame: Frame) => Buffer {
  const nextNonce = nonceCounter();
  return ({ kind, id, payload }) => {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt8(kind, 0);
    header.writeUInt32BE(id, 1);
    const cipher = createCipheriv('aes-256-gcm', key, nextNonce());
    const sealed = [cipher.update(header), cipher.update(payload), cipher.final(), cipher.getAuthTag()];
    const length = Buffer.alloc(4);
    length.writeUInt32BE(HEADER_BYTES + payload.length + TAG_BYTES, 0);
    return Buffer.concat([length, ...sealed]);
  };
}

function opener(key: Buffer): (sealed: Buffer) => Frame {
  const nextNonce = nonceCounter();
  return (sealed) => {
    const decipher = createDecipheriv('aes-256-gcm', key, nextNonce());
    decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    const decrypted = decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES));
    const text = Buffer.concat([decrypted, decipher.final()]);
    return { kind: text.readUInt8(0), id: text.readUInt32BE(1), payload: text.subarray(HEADER_BYTES) };
  };
}

/**
 * Returns a function that takes the bytes of a stream and calls `onFrame` for each complete sealed frame. It
 * throws for an invalid length.
 */
export function frameCutter(onFrame: (sealed: Buffer) => void): (bytes: Buffer) => void {
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  let neededBytes = 4;
  let readsLength = true;
  return (bytes) => {
    buffered.push(bytes);
    bufferedBytes += bytes.length;
    while (bufferedBytes >= neededBytes) {
      const received = buffered.length === 1 && buffered[0] ? buffered[0] : Buffer.concat(buffered);
      const piece = received.subarray(0, neededBytes);
      buffered = [received.subarray(neededBytes)];
      bufferedBytes -= neededBytes;
      if (readsLength) {
        neededBytes = piece.readUInt32BE(0);
        if (neededBytes < HEADER_BYTES + TAG_BYTES || neededBytes > MAX_FRAME_BYTES)
          throw new Error(`invalid length of a frame: ${neededBytes} bytes`);
      } else {
        onFrame(piece);
        neededBytes = 4;
      }
      readsLength = !readsLength;
    }
  };
}
