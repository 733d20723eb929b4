import { createHmac, createSecretKey, timingSafeEqual, type Hmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What the headers prove about the body. */
export type SignatureVerdict = 'absent' | 'valid' | 'invalid';

/** Reads a body in pieces without storing it. */
export interface SignatureCheck {
  /** The headers claim a signature, right or wrong. */
  readonly claimed: boolean;
  update(chunk: Uint8Array): void;
  /** Call it after the last chunk. */
  verdict(): SignatureVerdict;
}

/**
 * Headers with the HMAC of the body in hexadecimal, and the prefix of that value. If a webhook has no secret,
 * Gitea and Forgejo send the headers without a value; these count as absent.
 */
const HEX_HEADERS: readonly (readonly [header: string, prefix: string])[] = [
  ['x-hub-signature-256', 'sha256='],
  ['x-gitea-signature', ''],
  ['x-forgejo-signature', ''],
];
const TOKEN_HEADER = 'x-gitlab-token';
/** Header of the Standard Webhooks specification, with `webhook-id` and `webhook-timestamp`. */
const STANDARD_HEADER = 'webhook-signature';
const SECRET_PREFIX = 'whsec_';

/**
 * Compares the proofs that a forge sends with the secret of the webhook's token. The verdict is `valid` if
 * there is at least one proof and none is wrong. GitHub, Gitea and Forgejo sign the body with the secret.
 * GitLab sends the secret itself or, with a signing token, a Standard Webhooks signature.
 */
export function signatureCheck(headers: IncomingHttpHeaders, makeSecret: () => string): SignatureCheck {
  const hexSignatures: { sent: string; prefix: string }[] = [];
  for (const [header, prefix] of HEX_HEADERS) {
    const sent = headers[header];
    if (sent !== undefined && sent !== prefix) hexSignatures.push({ sent: String(sent), prefix });
  }
  const token = headers[TOKEN_HEADER];
  const standard = headers[STANDARD_HEADER];
  if (hexSignatures.length === 0 && token === undefined && standard === undefined) return NO_SIGNATURE;
  const secret = makeSecret();
  const bodyHmac = hexSignatures.length === 0 ? undefined : createHmac('sha256', secret);
  const standardHmac = standard === undefined ? undefined : startStandardHmac(headers, secret);
  return {
    claimed: true,
    update(chunk) {
      bodyHmac?.update(chunk);
      standardHmac?.update(chunk);
    },
    verdict() {
      const expected = bodyHmac?.digest('hex') ?? '';
      let wrongProofs = 0;
      for (const { sent, prefix } of hexSignatures)
        if (!areEqual(sent.toLowerCase(), `${prefix}${expected}`)) wrongProofs += 1;
      if (token !== undefined && !areEqual(String(token), secret)) wrongProofs += 1;
      if (standardHmac !== undefined && !includesSignature(String(standard), standardHmac.digest('base64')))
        wrongProofs += 1;
      return wrongProofs === 0 ? 'valid' : 'invalid';
    },
  };
}

const NO_SIGNATURE: SignatureCheck = { claimed: false, update: () => undefined, verdict: () => 'absent' };

function startStandardHmac(headers: IncomingHttpHeaders, secret: string): Hmac {
  const key = createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64');
  const id = String(headers['webhook-id'] ?? '');
  return createHmac('sha256', key).update(`${id}.${String(headers['webhook-timestamp'] ?? '')}.`);
}

/** The header lists several signatures while a sender rotates its key; any of the first eight may match. */
function includesSignature(signatures: string, digest: string): boolean {
  return signatures
    .split(' ', 8)
    .map((signature) => areEqual(signature, `v1,${digest}`))
    .some(Boolean);
}

/** Compares texts of equal length in constant time. */
function areEqual(sent: string, expected: string): boolean {
  const [sentBytes, expectedBytes] = [Buffer.from(sent), Buffer.from(expected)];
  return sentBytes.length === expectedBytes.length && timingSafeEqual(sentBytes, expectedBytes);
}
