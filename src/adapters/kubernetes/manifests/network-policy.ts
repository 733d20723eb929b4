import type {
  V1NetworkPolicyEgressRule,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
  V1NetworkPolicySpec,
} from '@kubernetes/client-node';
import { defined } from '#defined';
import type { Installation } from './installation.ts';
import { MANAGED_BY } from './labels.ts';

/**
 * Metadata services of clouds: the link-local addresses, and the addresses of Alibaba Cloud
 * (100.100.100.200), Azure (168.63.129.16), AWS (fd00:ec2::254) and Google Cloud (fd20:ce::254).
 */
const METADATA_V4 = ['169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32'];
const METADATA_V6 = ['fe80::/10', 'fd00:ec2::254/128', 'fd20:ce::254/128'];
const NODE_LOCAL_DNS = '169.254.20.10/32';

const DNS_PORTS: V1NetworkPolicyPort[] = [
  { protocol: 'UDP', port: 53 },
  { protocol: 'TCP', port: 53 },
];

export const INTERNAL_GATEWAY_LABELS = { 'app.kubernetes.io/component': 'gateway-internal' };
const INTERNAL_GATEWAY_PORT = 8443;

interface AllowedConnection {
  /** Why the Pods need the connection. */
  purpose: string;
  to: V1NetworkPolicyPeer[];
  ports?: V1NetworkPolicyPort[];
}

/** The connections that Pods of Millrace may open. These Pods accept no connections. */
export function connectionsOfPods(denyCidrs: string[], installation: Installation): AllowedConnection[] {
  const denied = (v6: boolean): string[] => denyCidrs.filter((cidr) => cidr.includes(':') === v6);
  return [
    {
      purpose: 'the agent talks to the internal gateway',
      to: [
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': installation.namespace } },
          podSelector: {
            matchLabels: { 'app.kubernetes.io/instance': installation.release, ...INTERNAL_GATEWAY_LABELS },
          },
        },
      ],
      ports: [{ protocol: 'TCP', port: INTERNAL_GATEWAY_PORT }],
    },
    {
      purpose: 'names are resolved in the cluster, or by a cache on the node',
      to: [{ namespaceSelector: {} }, { ipBlock: { cidr: NODE_LOCAL_DNS } }],
      ports: DNS_PORTS,
    },
    {
      purpose: 'steps reach the network, but no metadata service and no range that the team denies',
      to: [
        { ipBlock: { cidr: '0.0.0.0/0', except: [...METADATA_V4, ...denied(false)] } },
        { ipBlock: { cidr: '::/0', except: [...METADATA_V6, ...denied(true)] } },
      ],
    },
  ];
}

export function teamNetworkPolicy(denyCidrs: string[], installation: Installation): V1NetworkPolicySpec {
  const egress: V1NetworkPolicyEgressRule[] = connectionsOfPods(denyCidrs, installation).map(
    ({ to, ports }) => ({
      to,
      ...defined({ ports }),
    }),
  );
  return {
    podSelector: { matchLabels: { [MANAGED_BY]: 'millrace' } },
    policyTypes: ['Ingress', 'Egress'],
    egress,
  };
}
