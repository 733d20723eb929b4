import type { Environment } from './engine.ts';
import type { RunFolders } from './folders.ts';

/** Programs, language, and the way to the network. Credentials of the person are not for steps. */
const INHERITED = /^(PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|USER|LOGNAME|SSL_CERT_(FILE|DIR))$/;
const PROXIES = /^(https?|no|all)_proxy$/i;

/** What steps on this machine inherit. */
export function hostEnvironment(
  environment: Environment,
  { home, temporary }: RunFolders,
): Record<string, string> {
  const inherited = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && (INHERITED.test(name) || PROXIES.test(name)) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(inherited), HOME: home, TMPDIR: temporary };
}
