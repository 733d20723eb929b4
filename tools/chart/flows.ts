interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string }[];
}

interface Peer {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string };
}

interface Port {
  protocol: string;
  port: number;
}

/** The spec of a NetworkPolicy in the rendered chart. */
export interface PolicySpec {
  ingress?: { from?: Peer[]; ports?: Port[] }[];
  egress?: { to?: Peer[]; ports?: Port[] }[];
}

/**
 * One row for each rule of a policy, in the words of docs/reference/network.md: `pods | direction | peer |
 * ports`.
 */
export function flowsOf(component: string, { ingress = [], egress = [] }: PolicySpec): string[] {
  return [
    ...ingress.map(({ from, ports }) =>
      [component, 'from', describePeers(from), describePorts(ports)].join(' | '),
    ),
    ...egress.map(({ to, ports }) => [component, 'to', describePeers(to), describePorts(ports)].join(' | ')),
  ];
}

/** A rule without peers allows any address. */
function describePeers(peers: Peer[] | undefined): string {
  return peers === undefined ? 'any address' : peers.map(describePeer).join(', ');
}

const AGENTS = JSON.stringify({
  namespaceSelector: { matchExpressions: [{ key: 'millrace.dev/team', operator: 'Exists' }] },
  podSelector: { matchLabels: { 'app.kubernetes.io/managed-by': 'millrace' } },
});
const EVERYONE = JSON.stringify({ namespaceSelector: {} });

function describePeer(peer: Peer): string {
  const component = peer.podSelector?.matchLabels?.['app.kubernetes.io/component'];
  const text = JSON.stringify(peer);
  if (text === AGENTS) return 'check and build Pods of teams';
  if (text === EVERYONE) return 'every Pod of the cluster';
  return component ?? text;
}

function describePorts(ports: Port[] = []): string {
  const words = ports.map(({ protocol, port }, index) =>
    protocol === ports[index - 1]?.protocol ? String(port) : `${protocol} ${port}`,
  );
  return words.length === 0 ? 'all' : words.join(', ');
}

/**
 * The first `columns` cells of each row of the table below `## heading`, without its head, as `cell | cell`.
 */
export function tableRows(markdown: string, heading: string, columns: number): string[] {
  const section = markdown.slice(markdown.indexOf(`## ${heading}`)).split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, columns + 1)
      .map((cell) => cell.trim())
      .join(' | '),
  );
}
