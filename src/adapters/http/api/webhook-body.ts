import type { IncomingHttpHeaders } from 'node:http';
import type { SignatureCheck, SignatureVerdict } from '#adapters/crypto/webhook-signature.ts';
import {
  isRerunEvent,
  MAX_EVENT_BYTES,
  readRerunRequest,
  type RerunRequest,
} from '#domain/build/rerun-request.ts';
import { RetainedBodies } from './retained-bodies.ts';

/** The memory, in bytes, for all bodies that are retained at the same time. */
export const MAX_RETAINED_WEBHOOK_BYTES = 16 * 1024 * 1024;
const EVENT_HEADER = 'x-github-event';

/** What the body of a webhook says. */
export class ReceivedWebhook {
  readonly signature: SignatureVerdict;
  /**
   * Whether Millrace checks the resource because of this webhook. GitHub reports every check run, even those
   * that Millrace itself writes. So a `check_run` or `check_suite` event with a valid signature starts a
   * check only if it asks for the re-run of a build that it names. Without a valid signature it counts as any
   * other webhook.
   */
  readonly wantsCheck: boolean;
  /**
   * The re-run that the webhook asks for, or why that request cannot be read. Undefined: it asks for none, or
   * its signature is wrong. `no-room`: too many bodies arrived at the same time, so its body was not read.
   */
  readonly rerun: RerunRequest | 'no-room' | undefined;

  constructor(signature: SignatureVerdict, wantsCheck: boolean, rerun?: RerunRequest | 'no-room') {
    this.signature = signature;
    this.wantsCheck = wantsCheck;
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
 * Returns a function that creates the reader of a request's body. A reader checks the signature of every
 * body. It retains a body only if the request claims a signature and its event may ask for a re-run. All
 * bodies that are retained at the same time have at most `maxBytes` together.
 */
export function webhookReaders(
  maxBytes = MAX_RETAINED_WEBHOOK_BYTES,
): (request: WebhookRequest, check: SignatureCheck) => WebhookReader {
  const bodies = new RetainedBodies({ maxBytes, maxBodyBytes: MAX_EVENT_BYTES });
  return ({ headers, raw }, check) => {
    const event = headers[EVENT_HEADER];
    if (!isRerunEvent(event))
      return {
        update: (chunk) => check.update(chunk),
        verdict: () => new ReceivedWebhook(check.verdict(), true),
      };
    const body = check.claimed ? bodies.begin() : undefined;
    if (body !== undefined) raw.once('close', body.release);
    return {
      update(chunk) {
        check.update(chunk);
        body?.append(chunk);
      },
      verdict() {
        const signature = check.verdict();
        const content = body?.content() ?? 'too-large';
        body?.release();
        if (signature === 'valid' && content === 'dropped')
          return new ReceivedWebhook(signature, false, 'no-room');
        const text = typeof content === 'string' ? undefined : content.toString();
        const rerun = readRerunRequest(event, signature, text);
        return new ReceivedWebhook(signature, rerun?.kind === 'rerun' || signature !== 'valid', rerun);
      },
    };
  };
}
