/**
 * Matches a phrase that begins with the sound of a vowel. "http" and "fs" do, because people spell them out;
 * "user" does not.
 */
const VOWEL = /^(?:[aeio]|u(?!ni|s)|[fhlmnrsx][^aeiouy -]*(?:[ -]|$))/;

/** The noun with its article: "an email notification", "a git resource". */
export const withArticle = (noun: string): string => `${VOWEL.test(noun) ? 'an' : 'a'} ${noun}`;
