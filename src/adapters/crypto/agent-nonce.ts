import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AgentSession } from '#domain/build/agent-session.ts';

/**
 * The credential in the environment of an agent whose Pod has no volume: `b.<build>.<attempt>.<mac>` or
 * `c.<run>.<mac>`. It says for which work its Pod was made; it is no key, since whoever may read the Pod can
 * read it (docs/adr/0004-agent-session.md).
 */
export function signNonce(key: Buffer, session: AgentSession): string {
  const claim = session.kind === 'build' ? `b.${session.build}.${session.attempt}` : `c.${session.run}`;
  return `${claim}.${mac(key, claim)}`;
}

/** What the nonce was signed for; undefined when we did not sign it. */
export function readNonce(key: Buffer, nonce: string): AgentSession | undefined {
  const match =
    /^(?<claim>b\.(?<build>\d{1,15})\.(?<attempt>\d{1,6})|c\.(?<run>\d{1,15}))\.(?<mac>[\w-]{43})$/.exec(
      nonce,
    );
  const { claim, build, attempt, run, mac: shown } = match?.groups ?? {};
  if (claim === undefined || shown === undefined) return undefined;
  if (!timingSafeEqual(Buffer.from(mac(key, claim)), Buffer.from(shown))) return undefined;
  return run === undefined
    ? { kind: 'build', build: Number(build), attempt: Number(attempt) }
    : { kind: 'checks', run: Number(run) };
}

function mac(key: Buffer, claim: string): string {
  return createHmac('sha256', key).update(claim).digest('base64url');
}
