/**
 * A vowel as it is spoken: "user" begins with none; "http" and "fs", which are spelled out, begin with one.
 */
const VOWEL = /^(?:[aeio]|u(?!ni|s)|[fhlmnrsx][^aeiouy ]*(?: |$))/;

/** "an email notification", "a git resource". */
export const withArticle = (what: string): string => `${VOWEL.test(what) ? 'an' : 'a'} ${what}`;
