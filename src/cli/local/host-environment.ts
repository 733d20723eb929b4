import type { Environment } from './engine.ts';
import type { RunFolders } from './folders.ts';

/** Variables for programs, language and certificates. Steps must not get the user's credentials. */
const INHERITED = /^(PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|USER|LOGNAME|SSL_CERT_(FILE|DIR))$/;
const PROXIES = /^(https?|no|all)_proxy$/i;

/** The environment of steps on this machine: inherited variables, and the directories of the run. */
export function hostEnvironment(
  environment: Environment,
  { home, temporary }: RunFolders,
): Record<string, string> {
  const inherited = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && (INHERITED.test(name) || PROXIES.test(name)) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(inherited), HOME: home, TMPDIR: temporary };
}
