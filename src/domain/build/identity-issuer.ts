/** Names of the claims of identity tokens. */
export const IDENTITY_CLAIMS = [
  'iss',
  'sub',
  'aud',
  'exp',
  'iat',
  'nbf',
  'jti',
  'team',
  'pipeline',
  'job',
  'build',
  'attempt',
  'ref',
  'sha',
  'fork',
] as const;

/**
 * The issuer of identity tokens: the external URL of the installation, which verifiers must reach over HTTPS.
 */
export function identityIssuer(externalUrl: string | undefined): { issuer: string } | { problem: string } {
  if (externalUrl?.startsWith('https://') === true) return { issuer: externalUrl };
  const why =
    externalUrl === undefined
      ? 'this installation has no externalURL'
      : `externalURL is ${externalUrl}, without TLS`;
  return {
    problem:
      `Identity tokens need an issuer with https, but ${why}. ` +
      "Set externalURL in the chart's values to an https:// address that the verifier can reach.",
  };
}
