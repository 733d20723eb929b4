import { dictionary } from '@zxcvbn-ts/language-common';

/**
 * Of stolen lists, those that are tried first; about 18,000 of them have eight characters or more. Unpacked
 * when it is first asked for.
 */
let common: ReadonlySet<string> | undefined;

/** Whether whoever guesses begins with this password, or with one that differs in capitals only. */
export function isCommonPassword(password: string): boolean {
  common ??= new Set(dictionary['passwords-common']);
  return common.has(password.toLowerCase());
}
