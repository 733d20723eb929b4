import { bridge, clusterRanges, podRange } from './addresses.ts';
import { run, tryRun } from './run.ts';

/** The table of our own rules; the others are made by kube-proxy and by the CNI plugin for host ports. */
const ownTable = 'ip millrace-cluster';

/** Every nftables table that exists only while the cluster does. */
const tables = [ownTable, 'ip kube-proxy', 'ip6 kube-proxy', 'ip cni_hostport', 'ip6 cni_hostport'] as const;

/**
 * The chains in which Docker and firewalls refuse what they do not know, and what of the cluster must pass
 * there; an accepting rule in a table of our own would not help.
 */
const refusing = [
  { chain: ['ip', 'filter', 'FORWARD'], pass: ['iifname', 'oifname'] },
  { chain: ['ip', 'filter', 'INPUT'], pass: ['iifname'] },
] as const;

const mark = 'millrace-cluster';

/**
 * Replaced as a whole in one transaction. Pods' packets that leave the cluster take the machine's address.
 */
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

/** Makes the rules that Pods need. */
export async function makeRules(): Promise<void> {
  await run('nft', ['-f', '-'], { input: ownRules });
  for (const { chain, pass } of refusing) {
    const listing = await listChain(chain);
    for (const direction of listing !== undefined && handlesIn(listing).length === 0 ? pass : []) {
      const accept = [direction, bridge, 'counter', 'accept', 'comment', `"${mark}"`];
      await run('nft', ['insert', 'rule', ...chain, ...accept]);
    }
  }
}

/** Removes all rules of the cluster and answers what there was. */
export async function removeRules(): Promise<string[]> {
  const present = await presentRules();
  for (const table of await presentTables()) {
    await run('nft', ['delete', 'table', ...table.split(' ')]);
  }
  for (const { chain } of refusing) {
    for (const handle of handlesIn((await listChain(chain)) ?? '')) {
      await run('nft', ['delete', 'rule', ...chain, 'handle', handle]);
    }
  }
  return present;
}

/** The rules and tables of the cluster that are there. */
export async function presentRules(): Promise<string[]> {
  const listings = await Promise.all(refusing.map(({ chain }) => listChain(chain)));
  const inserted = listings.flatMap((listing) => handlesIn(listing ?? '')).length;
  return [
    ...(await presentTables()).map((table) => `nftables table ${table}`),
    ...(inserted === 0 ? [] : [`${inserted} rules in the firewall's own chains`]),
  ];
}

/** The handles of our rules in the listing of a chain. */
export function handlesIn(listing: string): string[] {
  return listing
    .split('\n')
    .filter((line) => line.includes(`comment "${mark}"`))
    .flatMap((line) => /# handle (\d+)$/.exec(line)?.[1] ?? []);
}

function listChain(chain: readonly string[]): Promise<string | undefined> {
  return tryRun('nft', ['--handle', 'list', 'chain', ...chain]);
}

async function presentTables(): Promise<string[]> {
  const all = ((await tryRun('nft', ['list', 'tables'])) ?? '')
    .split('\n')
    .map((line) => line.replace(/^table /, ''));
  return tables.filter((table) => all.includes(table));
}
