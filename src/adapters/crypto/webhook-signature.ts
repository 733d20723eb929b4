import { createHmac, createSecretKey, timingSafeEqual, type Hmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What the headers prove about the body. */
export type Signature = 'absent' | 'valid' | 'invalid';

/** Reads a body in pieces without storing it. */
export interface SignatureCheck {
  /** The headers claim a signature, right or wrong. */
  readonly claimed: boolean;
  update(chunk: Uint8Array): void;
  /** Call it after the last chunk. */
  verdict(): Signature;
}

/**
 * Headers with a digest of the body in hexadecimal, and the prefix of the digest. Gitea and Forgejo send them
 * without a digest if the webhook has no secret, which proves nothing and claims nothing.
 */
const HEX_HEADERS: readonly (readonly [header: string, before: string])[] = [
  ['x-hub-signature-256', 'sha256='],
  ['x-gitea-signature', ''],
  ['x-forgejo-signature', ''],
];
const TOKEN_HEADER = 'x-gitlab-token';
/** Header of the Standard Webhooks specification, with `webhook-id` and `webhook-timestamp`. */
const STANDARD_HEADER = 'webhook-signature';
const PREFIX = 'whsec_';

/**
 * Compares the proof that a forge sends with the secret of the token: valid if there is at least one and none
 * is wrong. GitHub, Gitea and Forgejo sign the body with the secret. GitLab sends the secret itself or, with
 * a signing token, a Standard Webhooks signature.
 */
export function signatureCheck(headers: IncomingHttpHeaders, secretOf: () => string): SignatureCheck {
  const plain: { sent: string; before: string }[] = [];
  for (const [header, before] of HEX_HEADERS) {
    const sent = headers[header];
    if (sent !== undefined && sent !== before) plain.push({ sent: String(sent), before });
  }
  const token = headers[TOKEN_HEADER];
  const standard = headers[STANDARD_HEADER];
  if (plain.length === 0 && token === undefined && standard === undefined) return NOTHING;
  const secret = secretOf();
  const ofBody = plain.length === 0 ? undefined : createHmac('sha256', secret);
  const ofStandard = standard === undefined ? undefined : standardHmac(headers, secret);
  return {
    claimed: true,
    update(chunk) {
      ofBody?.update(chunk);
      ofStandard?.update(chunk);
    },
    verdict() {
      const digest = ofBody?.digest('hex') ?? '';
      let wrong = 0;
      for (const { sent, before } of plain) if (!same(sent.toLowerCase(), `${before}${digest}`)) wrong += 1;
      if (token !== undefined && !same(String(token), secret)) wrong += 1;
      if (ofStandard !== undefined && !hasStandard(String(standard), ofStandard.digest('base64'))) wrong += 1;
      return wrong === 0 ? 'valid' : 'invalid';
    },
  };
}

const NOTHING: SignatureCheck = { claimed: false, update: () => undefined, verdict: () => 'absent' };

function standardHmac(headers: IncomingHttpHeaders, secret: string): Hmac {
  const key = createSecretKey(secret.slice(PREFIX.length), 'base64');
  const id = String(headers['webhook-id'] ?? '');
  return createHmac('sha256', key).update(`${id}.${String(headers['webhook-timestamp'] ?? '')}.`);
}

/** The header is a list while a sender rotates its key; any entry may match. */
function hasStandard(sent: string, digest: string): boolean {
  return sent
    .split(' ', 8)
    .map((one) => same(one, `v1,${digest}`))
    .some(Boolean);
}

/** Compares in constant time. */
function same(sent: string, expected: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
