import type { Credentials } from './sign-in.ts';
import { tokenFile } from './token.ts';

export interface Addresses {
  repository: string;
  gateway: string;
  webhook: string | undefined;
  /** Undefined if somebody has changed the first admin's password by hand. */
  credentials: Credentials | undefined;
}

/** Works without a name and an address in the user's git configuration. */
const COMMIT = 'git -c user.name=me -c user.email=me@example.org commit';

/** What to do next, with commands to paste. */
export function nextSteps(addresses: Addresses, reachable: boolean): string {
  const { repository, gateway, webhook, credentials } = addresses;
  const environment = reachable ? `\n  eval "$(node_modules/.bin/node tools/cluster/main.ts env)"` : '';
  return `
${reachable ? '' : forwards(addresses)}Open the pipeline in a browser on this machine:
  ${gateway}/teams/demo/pipelines/app
${signIn(credentials)}

Push a commit. Its builds start within half a minute, and the page follows them:
  git clone ${repository} /tmp/app
  (cd /tmp/app && echo "- by hand" >> CHANGES.md && git add . && ${COMMIT} -m "By hand" && git push origin main)
${webhook === undefined ? '' : `\nOr start them at once, as a forge's webhook would:\n  curl -X POST ${webhook}\n`}
From the command line:
  make install${environment}
  kubectl --namespace millrace-system port-forward service/millrace-public 8080:80 &
  kubectl get teams,pipelines --all-namespaces
  kubectl --namespace demo describe pipeline app
  millrace login http://localhost:8080 --token < ${tokenFile()}
  millrace builds watch app/unit --team demo

Run it again: make demo. Remove everything: make cluster-down.
`;
}

function signIn(credentials: Credentials | undefined): string {
  return credentials === undefined
    ? '  Sign in with the password that you have chosen.'
    : `  user:     ${credentials.username}\n  password: ${credentials.password}`;
}

function forwards({ gateway, repository }: Addresses): string {
  return `Forward two ports first, and leave this running:
  kubectl --namespace millrace-system port-forward service/millrace-public ${portOf(gateway)}:80 &
  kubectl --namespace forge port-forward service/git ${portOf(repository)}:80 &

`;
}

function portOf(url: string): string {
  return new URL(url).port;
}
