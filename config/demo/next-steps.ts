import { tokenFile } from './token.ts';

export interface Addresses {
  repository: string;
  gateway: string;
  webhook: string | undefined;
}

/** How to look further; every line can be pasted. */
export function nextSteps({ repository, gateway, webhook }: Addresses, reachable: boolean): string {
  const ports = reachable
    ? ''
    : `
  kubectl --namespace millrace-system port-forward service/millrace-public ${portOf(gateway)}:80 &
  kubectl --namespace forge port-forward service/git ${portOf(repository)}:80 &`;
  const environment = reachable ? `\n  eval "$(node_modules/.bin/node config/cluster/main.ts env)"` : '';
  return `
Look further:${environment}${ports}
  kubectl get teams,pipelines --all-namespaces
  kubectl --namespace demo describe pipeline app
  kubectl --namespace demo get pods,cronjobs

The API (the cluster holds only the token's hash):
  token=$(cat ${tokenFile()})
  curl -s -H "Authorization: Bearer $token" ${gateway}/teams/demo/pipelines/app/jobs
  curl -s -H "Authorization: Bearer $token" -H 'Accept: text/plain' ${gateway}/teams/demo/pipelines/app/jobs/unit/builds/1/logs

A commit by hand starts the jobs as well, within half a minute:
  git clone ${repository} /tmp/app && cd /tmp/app
  echo "- by hand" >> CHANGES.md && git add . && git commit -m "By hand" && git push origin main
${webhook === undefined ? '' : `\nAt once, as a forge's webhook would:\n  curl -X POST ${webhook}\n`}
Again: make demo. The end: make cluster-down.
`;
}

function portOf(url: string): string {
  return new URL(url).port;
}
