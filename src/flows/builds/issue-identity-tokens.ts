import { defined } from '#defined';
import type { IdentityTokensRequest } from '#domain/build/agent-protocol.ts';
import { decideIdentity } from '#domain/build/identity-claims.ts';
import { isActive } from '#domain/scheduling/build-changes.ts';
import type { IdentityTokensAnswer, IssueIdentityPorts } from './identity-ports.ts';
import type { AttemptRef } from './ports.ts';

/** Maximum number of tokens for one attempt of a build. Limited because the agent masks each. */
export const MAX_IDENTITY_TOKENS = 500;

/** Issues the identity tokens of a step. */
export async function issueIdentityTokens(
  { build, attempt }: AttemptRef,
  { seconds }: Pick<IdentityTokensRequest, 'seconds'>,
  { builds, sessions, identitySigner, externalUrl, newTokenId, now }: IssueIdentityPorts,
): Promise<IdentityTokensAnswer> {
  const facts = await builds.attemptFacts(build, attempt);
  if (facts === undefined || !isActive(facts.status)) return { answer: 'over' };
  const at = Math.floor(now().getTime() / 1000);
  const decision = decideIdentity(facts, { externalUrl, at, ...defined({ seconds }) });
  if (decision.answer === 'refuse') return { answer: 'refused', reason: decision.reason };
  const signer = await identitySigner();
  if (signer.answer === 'unavailable') return signer;
  const limit = { count: decision.tokens.length, max: MAX_IDENTITY_TOKENS };
  const counted = await sessions.countIdentityTokens({ build, attempt }, limit);
  if (counted === 'over') return { answer: 'over' };
  if (counted === 'too-many') return { answer: 'refused', reason: TOO_MANY };
  const signed = await Promise.all(
    decision.tokens.map(async ({ variable, claims }) => {
      const id = newTokenId();
      return { variable, id, audience: claims.aud, token: await signer.sign({ ...claims, jti: id }) };
    }),
  );
  return {
    answer: 'issued',
    tokens: Object.fromEntries(signed.map(({ variable, token }) => [variable, token])),
    issued: signed.map(({ id, audience }) => ({ id, audience })),
  };
}

const TOO_MANY = `One attempt of a build gets at most ${MAX_IDENTITY_TOKENS} identity tokens.`;
