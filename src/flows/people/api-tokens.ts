import { refuseToken } from '#domain/access/api-token.ts';
import { limitToToken, type Identity } from '#domain/access/decide-access.ts';
import type { TokenStore, TokenToMake } from './token-ports.ts';

export type TokenMade =
  | { answer: 'made'; id: number }
  /**
   * `taken`: the account has a token of this name. `role-too-high`: the account's role in the team is lower
   * than the token's, or the account was deleted.
   */
  | { answer: 'taken' | 'too-many' | 'no-team' | 'role-too-high' | 'session-over' };

/** Creates a token for a signed-in user, unless their session has ended. */
export async function createToken(
  token: TokenToMake,
  at: Date,
  tokens: Pick<TokenStore, 'withTokenOwner'>,
): Promise<TokenMade> {
  return await tokens.withTokenOwner(token, async (tx) => {
    if (!(await tx.sessionIsOpen())) return { answer: 'session-over' };
    const owner = await tx.owner();
    const refusal = refuseToken(owner?.identity, owner?.tokens ?? 0, token.scope);
    if (refusal !== undefined) return { answer: refusal };
    if (owner?.hasTeam !== true) return { answer: 'no-team' };
    const id = await tx.create(at);
    return id === undefined ? { answer: 'taken' } : { answer: 'made', id };
  });
}

/**
 * The owner of the token, with the rights of the token: at most those that the owner has now. Undefined: the
 * token is unknown or no longer valid.
 */
export async function identifyByToken(
  hash: Buffer,
  at: Date,
  tokens: Pick<TokenStore, 'ownerOfToken'>,
): Promise<Identity | undefined> {
  const token = await tokens.ownerOfToken(hash, at);
  return token && limitToToken(token.owner, token.scope);
}
