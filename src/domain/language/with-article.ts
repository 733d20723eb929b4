/**
 * Matches a phrase that begins with the sound of a vowel: "http" and "fs", which people spell out, but not
 * "user".
 */
const VOWEL = /^(?:[aeio]|u(?!ni|s)|[fhlmnrsx][^aeiouy -]*(?:[ -]|$))/;

/** "an email notification", "a git resource". */
export const withArticle = (noun: string): string => `${VOWEL.test(noun) ? 'an' : 'a'} ${noun}`;
