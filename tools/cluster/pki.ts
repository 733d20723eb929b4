import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { apiAddress, apiUrl, clusterDomain, nodeAddress, nodeName } from './addresses.ts';
import {
  ensureAuthority,
  ensureCertificate,
  ensureSigningKeys,
  pairAt,
  writeSecret,
  type Pair,
  type Subject,
} from './certificates.ts';
import type { Folders } from './folders.ts';

/** All keys and certificates of the cluster, as files. */
export type Pki = {
  readonly cluster: Pair;
  readonly frontProxy: Pair;
  readonly etcd: Pair;
  readonly apiServer: Pair;
  readonly apiServerToEtcd: Pair;
  readonly apiServerToKubelet: Pair;
  readonly apiServerToExtensions: Pair;
  readonly etcdServer: Pair;
  readonly kubelet: Pair;
  readonly controllerManager: Pair;
  readonly scheduler: Pair;
  readonly proxy: Pair;
  readonly volumes: Pair;
  readonly admin: Pair;
  readonly tokens: { readonly privateKey: string; readonly publicKey: string };
};

type Leaf = Exclude<keyof Pki, 'cluster' | 'frontProxy' | 'etcd' | 'tokens'>;

const localHosts = ['localhost', '127.0.0.1'];

const leaves: Readonly<
  Record<Leaf, { readonly authority: 'cluster' | 'frontProxy' | 'etcd'; readonly subject: Subject }>
> = {
  apiServer: {
    authority: 'cluster',
    subject: {
      name: 'kube-apiserver',
      hosts: [
        ...localHosts,
        nodeAddress,
        apiAddress,
        nodeName,
        'kubernetes',
        'kubernetes.default',
        'kubernetes.default.svc',
        `kubernetes.default.svc.${clusterDomain}`,
      ],
    },
  },
  apiServerToEtcd: { authority: 'etcd', subject: { name: 'kube-apiserver' } },
  apiServerToKubelet: { authority: 'cluster', subject: { name: 'kube-apiserver-kubelet-client' } },
  apiServerToExtensions: { authority: 'frontProxy', subject: { name: 'front-proxy-client' } },
  etcdServer: { authority: 'etcd', subject: { name: 'etcd', hosts: localHosts } },
  kubelet: {
    authority: 'cluster',
    subject: {
      name: `system:node:${nodeName}`,
      group: 'system:nodes',
      hosts: [nodeAddress, nodeName, ...localHosts],
    },
  },
  controllerManager: {
    authority: 'cluster',
    subject: { name: 'system:kube-controller-manager', hosts: localHosts },
  },
  scheduler: { authority: 'cluster', subject: { name: 'system:kube-scheduler', hosts: localHosts } },
  proxy: { authority: 'cluster', subject: { name: 'system:kube-proxy' } },
  volumes: { authority: 'cluster', subject: { name: 'millrace:volumes' } },
  admin: { authority: 'cluster', subject: { name: 'admin', group: 'system:masters' } },
};

/** Paths of the keys and certificates. */
export function pkiOf(folders: Folders): Pki {
  const folder = join(folders.state, 'pki');
  const pair = (name: string): Pair => pairAt(folder, name);
  return {
    cluster: pair('cluster-ca'),
    frontProxy: pair('front-proxy-ca'),
    etcd: pair('etcd-ca'),
    apiServer: pair('kube-apiserver'),
    apiServerToEtcd: pair('kube-apiserver-etcd-client'),
    apiServerToKubelet: pair('kube-apiserver-kubelet-client'),
    apiServerToExtensions: pair('front-proxy-client'),
    etcdServer: pair('etcd'),
    kubelet: pair('kubelet'),
    controllerManager: pair('kube-controller-manager'),
    scheduler: pair('kube-scheduler'),
    proxy: pair('kube-proxy'),
    volumes: pair('volumes'),
    admin: pair('admin'),
    tokens: {
      privateKey: join(folder, 'service-accounts.key'),
      publicKey: join(folder, 'service-accounts.pub'),
    },
  };
}

/** The kubeconfig file of people and tests. */
export function adminKubeconfig(folders: Folders): string {
  return join(folders.state, 'kubeconfig');
}

/** The kubeconfig file of a part. */
export function kubeconfigOf(folders: Folders, part: Leaf): string {
  return join(folders.state, 'pki', `${part}.kubeconfig`);
}

/**
 * Creates missing keys and certificates, replaces unusable certificates except those of authorities, and
 * writes the kubeconfig files.
 */
export async function ensurePki(folders: Folders): Promise<void> {
  const pki = pkiOf(folders);
  await ensureAuthority(pki.cluster, 'millrace-cluster');
  await ensureAuthority(pki.frontProxy, 'millrace-cluster-front-proxy');
  await ensureAuthority(pki.etcd, 'millrace-cluster-etcd');
  ensureSigningKeys(pki.tokens);
  const names: readonly Leaf[] = Object.keys(leaves).filter(isLeaf);
  for (const name of names) {
    await ensureCertificate(pki[leaves[name].authority], pki[name], leaves[name].subject);
  }
  for (const name of ['kubelet', 'controllerManager', 'scheduler', 'proxy', 'volumes'] as const) {
    writeSecret(kubeconfigOf(folders, name), kubeconfig(pki.cluster, pki[name]));
  }
  writeSecret(adminKubeconfig(folders), kubeconfig(pki.cluster, pki.admin));
}

function isLeaf(name: string): name is Leaf {
  return name in leaves;
}

function kubeconfig(authority: Pair, client: Pair): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'millrace',
        cluster: { server: apiUrl, 'certificate-authority-data': encoded(authority.certificate) },
      },
    ],
    users: [
      {
        name: 'millrace',
        user: {
          'client-certificate-data': encoded(client.certificate),
          'client-key-data': encoded(client.key),
        },
      },
    ],
    contexts: [{ name: 'millrace', context: { cluster: 'millrace', user: 'millrace' } }],
    'current-context': 'millrace',
  });
}

function encoded(path: string): string {
  return readFileSync(path).toString('base64');
}
