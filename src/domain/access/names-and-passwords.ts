import { whyReserved } from './reserved-namespaces.ts';

const USERNAME_PATTERN = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const MIN_PASSWORD_CHARACTERS = 8;
const MAX_PASSWORD_CHARACTERS = 256;

/**
 * What is wrong with a user name. Undefined: nothing. A user name can never be changed, because the audit log
 * identifies people by it.
 */
export function usernameFault(name: string): string | undefined {
  if (USERNAME_PATTERN.test(name)) return undefined;
  return (
    'A username has 1 to 63 lower-case letters, digits, dots, hyphens or underscores, ' +
    'and begins with a letter or a digit.'
  );
}

const TEAM_NAME_PATTERN = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * What is wrong with a team name. Undefined: nothing. By default, the namespace of the team has the same
 * name.
 */
export function teamNameFault(name: string): string | undefined {
  if (!TEAM_NAME_PATTERN.test(name)) {
    return (
      'The name of a team has 1 to 63 lower-case letters, digits or hyphens, ' +
      'and begins and ends with a letter or a digit.'
    );
  }
  return whyReserved(name);
}

/** Words that attackers of a Millrace installation guess first (`docs/security.md`). */
const GUESSABLE_WORDS = ['millrace', 'password', 'pipeline'];

/**
 * What is wrong with a new password. Undefined: nothing. A password needs a minimum length, but no particular
 * kinds of characters. `isCommon`: whether the password is in a list of common passwords.
 */
export function passwordFault(
  password: string,
  username: string,
  isCommon: (password: string) => boolean,
): string | undefined {
  const letters = Array.from(password);
  const { length } = letters;
  if (length < MIN_PASSWORD_CHARACTERS)
    return `A password has at least ${MIN_PASSWORD_CHARACTERS} characters.`;
  if (length > MAX_PASSWORD_CHARACTERS)
    return `A password has at most ${MAX_PASSWORD_CHARACTERS} characters.`;
  if (new Set(letters).size < 3) return 'A password needs more than two different characters.';
  if (isCommon(password)) return 'This password is too common: attackers try it first.';
  if (isLittleMoreThan(username, password))
    return 'A password must not be the user name, even with a few characters added.';
  const word = GUESSABLE_WORDS.find((guess) => isLittleMoreThan(guess, password));
  return word && `A password must not be the word ${word}, even with a few characters added.`;
}

/** Whether the password contains the word, and fewer other characters than a password needs. */
function isLittleMoreThan(word: string, password: string): boolean {
  return (
    password.toLowerCase().includes(word.toLowerCase()) &&
    Array.from(password).length < word.length + MIN_PASSWORD_CHARACTERS
  );
}
