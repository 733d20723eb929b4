import { defined } from '#defined';

/** The authentication that a registry requires, from the header `WWW-Authenticate` of its refusal. */
export type AuthChallenge =
  | { scheme: 'bearer'; realm: string; service?: string; scope?: string }
  | { scheme: 'basic' };

/** Returns a challenge that Millrace supports, `bearer` before `basic`; undefined if there is none. */
export function readAuthChallenge(header: string | undefined): AuthChallenge | undefined {
  const challenges = splitChallenges(header ?? '');
  const bearer = challenges.find(({ scheme }) => scheme === 'bearer')?.parameters;
  const realm = bearer?.get('realm');
  if (realm !== undefined) {
    const service = bearer?.get('service');
    const scope = bearer?.get('scope');
    return { scheme: 'bearer', realm, ...defined({ service, scope }) };
  }
  return challenges.some(({ scheme }) => scheme === 'basic') ? { scheme: 'basic' } : undefined;
}

interface Challenge {
  scheme: string;
  parameters: Map<string, string>;
}

/** A scheme, or `name=value` with an optionally quoted value (RFC 9110, 11.6.1). */
const SCHEME_OR_PARAMETER =
  /(?<name>[\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<plain>[^\s",]+)))?/g;
const MAX_HEADER_LENGTH = 4096;

function splitChallenges(header: string): Challenge[] {
  const challenges: Challenge[] = [];
  for (const { groups = {} } of header.slice(0, MAX_HEADER_LENGTH).matchAll(SCHEME_OR_PARAMETER)) {
    const { name = '', quoted, plain } = groups;
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain;
    if (value === undefined) challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
    else challenges.at(-1)?.parameters.set(name.toLowerCase(), value);
  }
  return challenges;
}
