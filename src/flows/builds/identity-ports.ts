import type { IdentityClaims } from '#domain/build/identity-claims.ts';
import type { BuildStore } from './ports.ts';
import type { SessionStore, Unavailable } from './session-ports.ts';

/** Signs the claims of one token with the current signing key. */
type SignClaims = (claims: IdentityClaims & { jti: string }) => Promise<string>;

export interface IssueIdentityPorts {
  builds: Pick<BuildStore, 'attemptFacts'>;
  sessions: Pick<SessionStore, 'countIdentityTokens'>;
  identitySigner: () => Promise<{ answer: 'ready'; sign: SignClaims } | Unavailable>;
  externalUrl: string | undefined;
  newTokenId: () => string;
  now: () => Date;
}

export type IdentityTokensAnswer =
  | {
      answer: 'issued';
      /** Tokens by the name of their variable. */
      tokens: Record<string, string>;
      /** For the log: what was issued, without the tokens. */
      issued: { id: string; audience: string }[];
    }
  /** The reason is for people. */
  | { answer: 'refused'; reason: string }
  /** The attempt has ended. */
  | { answer: 'over' }
  /** The agent tries again. */
  | Unavailable;
