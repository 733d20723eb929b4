import { bridge, clusterRanges, podRange } from './addresses.ts';
import { run, tryRun } from './run.ts';

/** The cluster's own table. kube-proxy and the CNI plugin create the other tables. */
const ownTable = 'ip millrace-cluster';

/** nftables tables that exist only while the cluster does. */
const tables = [ownTable, 'ip kube-proxy', 'ip6 kube-proxy', 'ip cni_hostport', 'ip6 cni_hostport'] as const;

/**
 * Chains in which Docker and firewalls drop unknown traffic, and the cluster's traffic that must pass. A rule
 * that accepts this traffic in the cluster's own table would not help, because a packet passes all tables.
 */
const refusingChains = [
  { chain: ['ip', 'filter', 'FORWARD'], pass: ['iifname', 'oifname'] },
  { chain: ['ip', 'filter', 'INPUT'], pass: ['iifname'] },
] as const;

const ruleComment = 'millrace-cluster';

/** nft replaces these rules in one transaction. Packets from Pods that leave the cluster are masqueraded. */
const ownRules = `
table ${ownTable}
delete table ${ownTable}
table ${ownTable} {
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr ${podRange} ip daddr != ${clusterRanges} ip daddr != 224.0.0.0/4 oifname != "lo" masquerade
  }
}
`;

/** Creates the rules that Pods need. */
export async function makeRules(): Promise<void> {
  await run('nft', ['-f', '-'], { input: ownRules });
  for (const { chain, pass } of refusingChains) {
    const listing = await listChain(chain);
    const needsRules = listing !== undefined && handlesIn(listing).length === 0;
    if (!needsRules) continue;
    for (const direction of pass) {
      const accept = [direction, bridge, 'counter', 'accept', 'comment', `"${ruleComment}"`];
      await run('nft', ['insert', 'rule', ...chain, ...accept]);
    }
  }
}

/** Removes the cluster's rules and tables. Returns lines that describe what was removed. */
export async function removeRules(): Promise<string[]> {
  const present = await presentRules();
  for (const table of await presentTables()) {
    await run('nft', ['delete', 'table', ...table.split(' ')]);
  }
  for (const { chain } of refusingChains) {
    for (const handle of handlesIn((await listChain(chain)) ?? '')) {
      await run('nft', ['delete', 'rule', ...chain, 'handle', handle]);
    }
  }
  return present;
}

/** Lines that describe the tables and rules of the cluster that exist. */
export async function presentRules(): Promise<string[]> {
  const listings = await Promise.all(refusingChains.map(({ chain }) => listChain(chain)));
  const inserted = listings.flatMap((listing) => handlesIn(listing ?? '')).length;
  return [
    ...(await presentTables()).map((table) => `nftables table ${table}`),
    ...(inserted === 0 ? [] : [`${inserted} rules in the firewall's own chains`]),
  ];
}

/** Handles of the cluster's rules in a chain's listing. */
export function handlesIn(listing: string): string[] {
  return listing
    .split('\n')
    .filter((line) => line.includes(`comment "${ruleComment}"`))
    .flatMap((line) => /# handle (\d+)$/.exec(line)?.[1] ?? []);
}

function listChain(chain: readonly string[]): Promise<string | undefined> {
  return tryRun('nft', ['--handle', 'list', 'chain', ...chain]);
}

async function presentTables(): Promise<string[]> {
  const allTables = ((await tryRun('nft', ['list', 'tables'])) ?? '')
    .split('\n')
    .map((line) => line.replace(/^table /, ''));
  return tables.filter((table) => allTables.includes(table));
}
