const USERNAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const SHORTEST = 8;
const LONGEST = 256;

/** What is wrong with a name for an account; undefined when nothing is. Names never change: the audit log speaks of them. */
export function usernameFault(name: string): string | undefined {
  if (USERNAME.test(name)) return undefined;
  return 'A username has 1 to 63 lower-case letters, digits, dots, hyphens or underscores, and begins with a letter or a digit.';
}

const TEAM = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** What is wrong with a name for a team; undefined when nothing is. It is that of its namespace, too. */
export function teamNameFault(name: string): string | undefined {
  if (!TEAM.test(name)) {
    return 'The name of a team has 1 to 63 lower-case letters, digits or hyphens, and begins and ends with a letter or a digit.';
  }
  return name === 'default' || name.startsWith('kube-')
    ? `The namespace ${name} belongs to the cluster and to no team.`
    : undefined;
}

/** What is wrong with a new password; undefined when nothing is. Length counts, the kinds of letters do not. */
export function passwordFault(password: string, username: string): string | undefined {
  const letters = Array.from(password);
  const { length } = letters;
  if (length < SHORTEST) return `A password has at least ${SHORTEST} characters.`;
  if (length > LONGEST) return `A password has at most ${LONGEST} characters.`;
  if (new Set(letters).size < 3) return 'A password needs more than two different characters.';
  if (password.toLowerCase().includes(username.toLowerCase()) && length < username.length + SHORTEST)
    return 'A password is more than the username with a few characters around it.';
  return undefined;
}
