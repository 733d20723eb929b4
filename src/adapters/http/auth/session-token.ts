import { createHmac } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';

const ALGORITHM = 'HS256';
const ISSUER_AND_AUDIENCE = 'millrace';

/** The claims of a session token. The database decides whether the session is still valid. */
interface SessionClaims {
  id: string;
  userId: number;
  /** Counts the times that all sessions of the user were ended. A token with an older number is invalid. */
  tokenGen: number;
}

export interface SessionCodec {
  /** Without `expiresAt` the token never expires. */
  sign(session: SessionClaims & { openedAt: Date; expiresAt?: Date }): Promise<string>;
  /** Returns undefined if this key did not sign the token for Millrace, or if the token has expired. */
  read(token: string, now: Date): Promise<SessionClaims | undefined>;
  /** The CSRF token of a session. Other sites cannot read it. */
  csrfToken(sessionId: string): string;
}

/** Signs and reads sessions as JWTs, with one algorithm, one key, and our name as issuer and audience. */
export function sessionCodec(key: Buffer): SessionCodec {
  return {
    async sign({ id, userId, tokenGen, openedAt, expiresAt }) {
      const token = new SignJWT({ sid: id, token_gen: tokenGen })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
        .setIssuer(ISSUER_AND_AUDIENCE)
        .setAudience(ISSUER_AND_AUDIENCE)
        .setSubject(String(userId))
        .setIssuedAt(openedAt);
      return await (expiresAt === undefined ? token : token.setExpirationTime(expiresAt)).sign(key);
    },
    async read(token, now) {
      try {
        const options = {
          algorithms: [ALGORITHM],
          issuer: ISSUER_AND_AUDIENCE,
          audience: ISSUER_AND_AUDIENCE,
          typ: 'JWT',
          currentDate: now,
        };
        const { payload } = await jwtVerify(token, key, options);
        return claimsOf(payload);
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
    csrfToken: (sessionId) => createHmac('sha256', key).update(`csrf:${sessionId}`).digest('base64url'),
  };
}

function claimsOf(payload: Record<string, unknown>): SessionClaims | undefined {
  const { sid: id, sub, token_gen: tokenGen } = payload;
  const userId = typeof sub === 'string' && /^[1-9]\d{0,15}$/.test(sub) ? Number(sub) : undefined;
  if (typeof id !== 'string' || userId === undefined || !Number.isSafeInteger(tokenGen)) return undefined;
  return { id, userId, tokenGen: Number(tokenGen) };
}
