import { createHash, createHmac, hash, type KeyObject } from 'node:crypto';

/**
 * Where it is used again and again, a `KeyObject`: Node looks at a `Buffer` by way of an exception, which
 * takes seven times as long.
 */
export type WebhookKey = Buffer | KeyObject;

/** Equal versions have equal digests, whatever the order of their fields. */
export function versionDigest(fields: Record<string, string>): Buffer {
  const sorted = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest();
}

/**
 * The token of a resource's webhook: derived, so that members can see it while the database holds only its
 * hash.
 */
export function webhookToken(webhookKey: WebhookKey, resource: number, generation: number): string {
  return createHmac('sha256', webhookKey).update(`webhook.${resource}.${generation}`).digest('base64url');
}

/**
 * What a forge signs with, of the form that all of them take. It follows from the token, so that a signature
 * can be judged before anything is looked up, and ends with it.
 */
export function webhookSecret(webhookKey: WebhookKey, token: string): string {
  return `whsec_${createHmac('sha256', webhookKey).update(`webhook-secret.${token}`).digest('base64')}`;
}

export function webhookTokenHash(token: string): string {
  return hash('sha256', token);
}

/** What follows from the key for every webhook. */
export function webhookTokens(key: WebhookKey) {
  return {
    token: (resource: number, generation: number) => webhookToken(key, resource, generation),
    secret: (token: string) => webhookSecret(key, token),
    hash: webhookTokenHash,
  };
}
