import { dictionary } from '@zxcvbn-ts/language-common';

/**
 * Passwords that attackers try first, from stolen lists, in lower case. About 18,000 of them have eight
 * characters or more. The first call of `isCommonPassword` fills the set.
 */
let common: ReadonlySet<string> | undefined;

/** Whether the password is a common one. Upper and lower case make no difference. */
export function isCommonPassword(password: string): boolean {
  common ??= new Set(dictionary['passwords-common']);
  return common.has(password.toLowerCase());
}
