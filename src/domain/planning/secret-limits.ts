/*
 * These limits protect the gateway, which reads and inserts secrets for all teams. A pipeline can name one
 * secret thousands of times.
 */

/** Limit of the secrets that one operation needs, including secrets that its secrets need. */
export const MAX_SECRETS = 200;
/** Limit of one value, whatever its source. */
export const MAX_SECRET_CHARACTERS = 256 * 1024;
/**
 * Limit of an operation's part of the definition, or of a secret's configuration, once values are filled in.
 */
export const MAX_FILLED_CHARACTERS = 8 * 1024 * 1024;

const formatCount = (count: number): string => count.toLocaleString('en');

export const TOO_LONG_SECRET = `it is longer than ${formatCount(MAX_SECRET_CHARACTERS)} characters`;
const filledLimit = `${formatCount(MAX_FILLED_CHARACTERS)} characters`;
export const TOO_LONG_CONFIGURATION = `with other secrets in it, its configuration is longer than ${filledLimit}`;
export const TOO_LONG_OPERATION =
  `With the values of its secrets, the job or resource is longer than ${filledLimit}. ` +
  'Name a long secret once, and use it through a variable of the environment.';
export const TOO_MANY_SECRETS = `It needs more than ${formatCount(MAX_SECRETS)} secrets, including those that its secrets need.`;
