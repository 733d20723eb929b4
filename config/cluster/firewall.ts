import { bridge, clusterRanges, podRange } from './addresses.ts';
import { run, tryRun } from './run.ts';

/** The table of our own rules; the others are made by kube-proxy and by the CNI plugin for host ports. */
const ownTable = 'ip millrace-cluster';

/** Every nftables table that exists only while the cluster does. */
const tables = [ownTable, 'ip kube-proxy', 'ip6 kube-proxy', 'ip cni_hostport', 'ip6 cni_hostport'] as const;

/** The chain in which Docker and firewalls refuse what they do not know; an accepting rule of ours elsewhere would not help. */
const forwardChain = ['ip', 'filter', 'FORWARD'] as const;

const mark = 'millrace-cluster';

/** Replaced as a whole in one transaction. Pods' packets that leave the cluster take the machine's address. */
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
  const chain = await listForwardChain();
  if (chain !== undefined && handlesIn(chain).length === 0) {
    for (const direction of ['iifname', 'oifname']) {
      await run('nft', [
        'insert',
        'rule',
        ...forwardChain,
        direction,
        bridge,
        'counter',
        'accept',
        'comment',
        `"${mark}"`,
      ]);
    }
  }
}

/** Removes all rules of the cluster and answers what there was. */
export async function removeRules(): Promise<string[]> {
  const present = await presentRules();
  for (const table of await presentTables()) {
    await run('nft', ['delete', 'table', ...table.split(' ')]);
  }
  for (const handle of handlesIn((await listForwardChain()) ?? '')) {
    await run('nft', ['delete', 'rule', ...forwardChain, 'handle', handle]);
  }
  return present;
}

/** The rules and tables of the cluster that are there. */
export async function presentRules(): Promise<string[]> {
  const inserted = handlesIn((await listForwardChain()) ?? '').length;
  return [
    ...(await presentTables()).map((table) => `nftables table ${table}`),
    ...(inserted === 0 ? [] : [`${inserted} rules in the chain ${forwardChain.join(' ')}`]),
  ];
}

/** The handles of our rules in the listing of a chain. */
export function handlesIn(listing: string): string[] {
  return listing
    .split('\n')
    .filter((line) => line.includes(`comment "${mark}"`))
    .flatMap((line) => /# handle (\d+)$/.exec(line)?.[1] ?? []);
}

function listForwardChain(): Promise<string | undefined> {
  return tryRun('nft', ['--handle', 'list', 'chain', ...forwardChain]);
}

async function presentTables(): Promise<string[]> {
  const all = ((await tryRun('nft', ['list', 'tables'])) ?? '')
    .split('\n')
    .map((line) => line.replace(/^table /, ''));
  return tables.filter((table) => all.includes(table));
}
