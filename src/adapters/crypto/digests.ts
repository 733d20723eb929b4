import { createHash, createHmac, hash, type KeyObject } from 'node:crypto';

/**
 * Pass a key that is used often as a `KeyObject`: with a `Buffer`, each call takes Node seven times as long.
 */
export type WebhookKey = Buffer | KeyObject;

/** Equal versions have equal digests, whatever the order of their fields. */
export function versionDigest(fields: Record<string, string>): Buffer {
  const sorted = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest();
}

/**
 * Derives the token of a resource's webhook. Since it can be derived again for members, the database holds
 * only its hash.
 */
export function webhookToken(webhookKey: WebhookKey, resource: number, generation: number): string {
  return createHmac('sha256', webhookKey).update(`webhook.${resource}.${generation}`).digest('base64url');
}

/**
 * Derives the secret that a forge signs with, in the Standard Webhooks form. It depends only on the key and
 * the token, so a signature can be verified before any query, and a new token brings a new secret.
 */
export function webhookSecret(webhookKey: WebhookKey, token: string): string {
  return `whsec_${createHmac('sha256', webhookKey).update(`webhook-secret.${token}`).digest('base64')}`;
}

export function webhookTokenHash(token: string): string {
  return hash('sha256', token);
}

/** The functions of webhook tokens, with the key filled in. */
export function webhookTokens(key: WebhookKey) {
  return {
    token: (resource: number, generation: number) => webhookToken(key, resource, generation),
    secret: (token: string) => webhookSecret(key, token),
    hash: webhookTokenHash,
  };
}
