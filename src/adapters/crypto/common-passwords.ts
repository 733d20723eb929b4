import { dictionary } from '@zxcvbn-ts/language-common';

/**
 * The passwords that attackers try first, from stolen lists. About 18,000 of them have eight characters or
 * more. The first call of `isCommonPassword` fills the set.
 */
let common: ReadonlySet<string> | undefined;

/** Whether the password is common, apart from upper and lower case. */
export function isCommonPassword(password: string): boolean {
  common ??= new Set(dictionary['passwords-common']);
  return common.has(password.toLowerCase());
}
