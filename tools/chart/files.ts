import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import {
  apiClusterRules,
  apiReleaseRules,
  apiTokensRules,
  gatewayClusterRules,
  gatewayTeamRules,
  operatorClusterRules,
  operatorReleaseRules,
  operatorTeamRules,
  operatorWebhookRules,
} from './rbac-rules.ts';
import { checkout } from './cluster-commands.ts';

export const chart = join(checkout, 'charts', 'millrace');

/**
 * What the chart carries of other parts of the project, by path below the chart: it has to be the same there.
 */
export function chartFiles(): Record<string, string> {
  const crds = readdirSync(join(checkout, 'crds')).filter((name) => name.endsWith('.yaml'));
  return {
    ...Object.fromEntries(
      crds.map((name) => [`files/crds/${name}`, readFileSync(join(checkout, 'crds', name), 'utf8')]),
    ),
    'files/rbac.yaml': rbacFile(),
  };
}

/** `RELEASE` and `TOKENS` stand for the names that the chart puts in. */
function rbacFile(): string {
  const rules = {
    operatorCluster: operatorClusterRules('RELEASE'),
    operatorTeam: operatorTeamRules,
    operatorRelease: operatorReleaseRules('RELEASE'),
    operatorWebhook: operatorWebhookRules('RELEASE'),
    gatewayCluster: gatewayClusterRules,
    gatewayTeam: gatewayTeamRules,
    apiCluster: apiClusterRules,
    apiRelease: apiReleaseRules('RELEASE'),
    apiTokens: apiTokensRules('TOKENS'),
  };
  const head = '# Written by `node tools/chart/main.ts` from tools/chart/rbac-rules.ts.\n';
  return head + stringify(rules, { lineWidth: 0, singleQuote: true });
}
