import type { IncomingHttpHeaders } from 'node:http';
import type { Signature, SignatureCheck } from '#adapters/crypto/webhook-signature.ts';
import {
  isRerunEvent,
  MAX_EVENT_BYTES,
  readRerunRequest,
  type RerunRequest,
} from '#domain/build/rerun-request.ts';

/** What is kept of all bodies that arrive at the same time. */
export const MAX_KEPT_WEBHOOK_BYTES = 16 * 1024 * 1024;
const EVENT_HEADER = 'x-github-event';

/** What a webhook's body says. */
export class ReceivedWebhook {
  readonly signature: Signature;
  /** Absent: it asks for a check only. `no-room`: too many bodies arrived at the same time. */
  readonly rerun: RerunRequest | 'no-room' | undefined;

  constructor(signature: Signature, rerun?: RerunRequest | 'no-room') {
    this.signature = signature;
    this.rerun = rerun;
  }
}

interface WebhookReader {
  update(chunk: Uint8Array): void;
  verdict(): ReceivedWebhook;
}

interface WebhookRequest {
  headers: IncomingHttpHeaders;
  raw: { once(event: 'close', listener: () => void): unknown };
}

/**
 * Reads bodies in pieces. Of signed events that may ask for a re-run it keeps the bytes until the last one, all
 * together up to `maxBytes`. Of all others it keeps nothing.
 */
export function webhookReaders(
  maxBytes = MAX_KEPT_WEBHOOK_BYTES,
): (request: WebhookRequest, check: SignatureCheck) => WebhookReader {
  let inFlight = 0;
  return ({ headers, raw }, check) => {
    const event = headers[EVENT_HEADER];
    if (!isRerunEvent(event))
      return {
        update: (chunk) => check.update(chunk),
        verdict: () => new ReceivedWebhook(check.verdict()),
      };
    const chunks: Uint8Array[] = [];
    let [size, held, noRoom] = [0, 0, false];
    // A request can close between its last chunk and the verdict, so this keeps the chunks.
    const release = (): void => {
      inFlight -= held;
      held = 0;
    };
    const forget = (): void => {
      release();
      chunks.length = 0;
    };
    raw.once('close', release);
    return {
      update(chunk) {
        check.update(chunk);
        size += chunk.length;
        noRoom ||= inFlight + chunk.length > maxBytes;
        if (size > MAX_EVENT_BYTES || noRoom) return forget();
        held += chunk.length;
        inFlight += chunk.length;
        chunks.push(chunk);
        return undefined;
      },
      verdict() {
        const signature = check.verdict();
        const text = size > MAX_EVENT_BYTES || signature !== 'valid' ? undefined : textOf(chunks);
        release();
        if (noRoom && signature === 'valid') return new ReceivedWebhook(signature, 'no-room');
        return new ReceivedWebhook(signature, readRerunRequest(event, signature, text));
      },
    };
  };
}

const textOf = (chunks: readonly Uint8Array[]): string => Buffer.concat(chunks).toString();
