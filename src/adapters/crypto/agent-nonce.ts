import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AgentSession } from '#domain/build/agent-session.ts';

/**
 * Signs the nonce, which tells for what work the operator created a Pod: `b.<build>.<attempt>.<mac>`,
 * `c.<run>.<mac>` for checks, or `w.<id>.<mac>` for a warm Pod. The agent gets it in its environment. It is
 * not a secret, because anyone who may read the Pod can read it (docs/adr/0004-agent-session.md).
 */
export function signNonce(key: Buffer, session: AgentSession): string {
  const claim = claimOf(session);
  return `${claim}.${mac(key, claim)}`;
}

/** Returns the work that the nonce was signed for; undefined if this key did not sign it. */
export function readNonce(key: Buffer, nonce: string): AgentSession | undefined {
  const match =
    /^(?<claim>b\.(?<build>\d{1,15})\.(?<attempt>\d{1,6})|c\.(?<run>\d{1,15})|w\.(?<warm>\d{1,15}))\.(?<mac>[\w-]{43})$/.exec(
      nonce,
    );
  const { claim, build, attempt, run, warm, mac: sentMac } = match?.groups ?? {};
  if (claim === undefined || sentMac === undefined) return undefined;
  if (!timingSafeEqual(Buffer.from(mac(key, claim)), Buffer.from(sentMac))) return undefined;
  if (warm !== undefined) return { kind: 'warm', warm: Number(warm) };
  return run === undefined
    ? { kind: 'build', build: Number(build), attempt: Number(attempt) }
    : { kind: 'checks', run: Number(run) };
}

function claimOf(session: AgentSession): string {
  if (session.kind === 'warm') return `w.${session.warm}`;
  return session.kind === 'build' ? `b.${session.build}.${session.attempt}` : `c.${session.run}`;
}

function mac(key: Buffer, claim: string): string {
  return createHmac('sha256', key).update(claim).digest('base64url');
}
