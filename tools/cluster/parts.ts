import { createConnection } from 'node:net';
import { join } from 'node:path';
import { nodeAddress, nodeName, podRange, ports, serviceRange } from './addresses.ts';
import { ask, askApi } from './api.ts';
import { explained } from './explain.ts';
import { binaryPath, type Folders } from './folders.ts';
import { containerdSocket, nodeFilesOf } from './node-config.ts';
import { kubeconfigOf, pkiOf } from './pki.ts';
import type { ClusterPart } from './processes.ts';

/** In the order in which they start, some of them together. `startCluster` relies on this order. */
export const partNames = [
  'etcd',
  'containerd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
  'volumes',
] as const;

export type PartName = (typeof partNames)[number];

const partMakers: Readonly<Record<PartName, (folders: Folders) => ClusterPart>> = {
  etcd,
  containerd,
  'kube-apiserver': apiServer,
  'kube-controller-manager': controllerManager,
  'kube-scheduler': scheduler,
  kubelet,
  'kube-proxy': proxy,
  volumes,
};

/** A part by name. Throws for an unknown name and lists the known ones. */
export function partOf(folders: Folders, name: string): ClusterPart {
  const known = partNames.find((candidate) => candidate === name);
  if (known === undefined) {
    throw explained(`There is no part "${name}"; there are ${partNames.join(', ')}.`);
  }
  return partMakers[known](folders);
}

/** Folder of PersistentVolumeClaims' directories. */
export function volumesFolder(folders: Folders): string {
  return join(folders.state, 'volumes');
}

function flags(values: Readonly<Record<string, string | number | boolean>>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}

function url(scheme: 'http' | 'https', endpoint: { address: string; port: number }, path = ''): string {
  return `${scheme}://${endpoint.address}:${endpoint.port}${path}`;
}

const isHealthy = (folders: Folders, address: string) => async (): Promise<boolean> =>
  (await ask(folders, address))?.status === 200;

function etcd(folders: Folders): ClusterPart {
  const pki = pkiOf(folders);
  const client = url('https', ports.etcd);
  const peer = url('https', ports.etcdPeer);
  return {
    name: 'etcd',
    command: binaryPath(folders, 'etcd'),
    args: flags({
      name: nodeName,
      'data-dir': join(folders.state, 'etcd'),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `${nodeName}=${peer}`,
      'listen-metrics-urls': url('http', ports.etcdMetrics),
      'cert-file': pki.etcdServer.certificate,
      'key-file': pki.etcdServer.key,
      'client-cert-auth': true,
      'trusted-ca-file': pki.etcd.certificate,
      'peer-cert-file': pki.etcdServer.certificate,
      'peer-key-file': pki.etcdServer.key,
      'peer-client-cert-auth': true,
      'peer-trusted-ca-file': pki.etcd.certificate,
      'log-level': 'warn',
    }),
    ready: isHealthy(folders, url('http', ports.etcdMetrics, '/readyz')),
  };
}

function containerd(folders: Folders): ClusterPart {
  return {
    name: 'containerd',
    command: binaryPath(folders, 'containerd'),
    args: ['--config', nodeFilesOf(folders).containerd],
    ready: () => acceptsConnections(containerdSocket(folders)),
  };
}

function acceptsConnections(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection(socket);
    connection.on('error', () => resolve(false));
    connection.on('connect', () => {
      connection.destroy();
      resolve(true);
    });
  });
}

function apiServer(folders: Folders): ClusterPart {
  const pki = pkiOf(folders);
  return {
    name: 'kube-apiserver',
    command: binaryPath(folders, 'kube-apiserver'),
    args: flags({
      'advertise-address': ports.apiServer.address,
      'bind-address': ports.apiServer.address,
      'secure-port': ports.apiServer.port,
      'service-cluster-ip-range': serviceRange,
      'authorization-mode': 'Node,RBAC',
      'enable-admission-plugins': 'NodeRestriction',
      'allow-privileged': true,
      'client-ca-file': pki.cluster.certificate,
      'tls-cert-file': pki.apiServer.certificate,
      'tls-private-key-file': pki.apiServer.key,
      'etcd-servers': url('https', ports.etcd),
      'etcd-cafile': pki.etcd.certificate,
      'etcd-certfile': pki.apiServerToEtcd.certificate,
      'etcd-keyfile': pki.apiServerToEtcd.key,
      'kubelet-certificate-authority': pki.cluster.certificate,
      'kubelet-client-certificate': pki.apiServerToKubelet.certificate,
      'kubelet-client-key': pki.apiServerToKubelet.key,
      'kubelet-preferred-address-types': 'InternalIP',
      'service-account-issuer': 'https://kubernetes.default.svc.cluster.local',
      'service-account-signing-key-file': pki.tokens.privateKey,
      'service-account-key-file': pki.tokens.publicKey,
      'requestheader-client-ca-file': pki.frontProxy.certificate,
      'requestheader-allowed-names': 'front-proxy-client',
      'requestheader-username-headers': 'X-Remote-User',
      'requestheader-group-headers': 'X-Remote-Group',
      'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
      'proxy-client-cert-file': pki.apiServerToExtensions.certificate,
      'proxy-client-key-file': pki.apiServerToExtensions.key,
      // Without this flag a stop waits up to a minute for watches.
      'shutdown-watch-termination-grace-period': '1s',
      profiling: false,
    }),
    ready: async () => (await askApi(folders, '/readyz'))?.status === 200,
  };
}

/** Each controller runs once, so a lease would only delay its restart. */
const withoutLeaderElection = { 'leader-elect': false, profiling: false } as const;

function delegation(kubeconfig: string): Record<string, string> {
  return { kubeconfig, 'authentication-kubeconfig': kubeconfig, 'authorization-kubeconfig': kubeconfig };
}

function controllerManager(folders: Folders): ClusterPart {
  const pki = pkiOf(folders);
  return {
    name: 'kube-controller-manager',
    command: binaryPath(folders, 'kube-controller-manager'),
    args: flags({
      ...withoutLeaderElection,
      ...delegation(kubeconfigOf(folders, 'controllerManager')),
      'bind-address': ports.controllerManager.address,
      'secure-port': ports.controllerManager.port,
      'tls-cert-file': pki.controllerManager.certificate,
      'tls-private-key-file': pki.controllerManager.key,
      'client-ca-file': pki.cluster.certificate,
      'requestheader-client-ca-file': pki.frontProxy.certificate,
      'root-ca-file': pki.cluster.certificate,
      'service-account-private-key-file': pki.tokens.privateKey,
      'use-service-account-credentials': true,
      'cluster-signing-cert-file': pki.cluster.certificate,
      'cluster-signing-key-file': pki.cluster.key,
      'cluster-cidr': podRange,
      'allocate-node-cidrs': false,
    }),
    ready: isHealthy(folders, url('https', ports.controllerManager, '/healthz')),
  };
}

function scheduler(folders: Folders): ClusterPart {
  const pki = pkiOf(folders);
  return {
    name: 'kube-scheduler',
    command: binaryPath(folders, 'kube-scheduler'),
    args: flags({
      ...withoutLeaderElection,
      ...delegation(kubeconfigOf(folders, 'scheduler')),
      'bind-address': ports.scheduler.address,
      'secure-port': ports.scheduler.port,
      'tls-cert-file': pki.scheduler.certificate,
      'tls-private-key-file': pki.scheduler.key,
      'client-ca-file': pki.cluster.certificate,
      'requestheader-client-ca-file': pki.frontProxy.certificate,
    }),
    ready: isHealthy(folders, url('https', ports.scheduler, '/readyz')),
  };
}

function kubelet(folders: Folders): ClusterPart {
  return {
    name: 'kubelet',
    command: binaryPath(folders, 'kubelet'),
    args: flags({
      config: nodeFilesOf(folders).kubelet,
      kubeconfig: kubeconfigOf(folders, 'kubelet'),
      'hostname-override': nodeName,
      'node-ip': nodeAddress,
      'root-dir': join(folders.state, 'kubelet'),
    }),
    ready: isHealthy(folders, url('http', ports.kubeletHealth, '/healthz')),
  };
}

function proxy(folders: Folders): ClusterPart {
  return {
    name: 'kube-proxy',
    command: binaryPath(folders, 'kube-proxy'),
    args: flags({ config: nodeFilesOf(folders).proxy }),
    ready: isHealthy(folders, url('http', ports.proxyHealth, '/healthz')),
  };
}

/** The volume provisioner has no endpoint, so it is ready as soon as it runs. */
function volumes(folders: Folders): ClusterPart {
  return {
    name: 'volumes',
    command: binaryPath(folders, 'millrace-volumes'),
    args: flags({
      kubeconfig: kubeconfigOf(folders, 'volumes'),
      directory: volumesFolder(folders),
      node: nodeName,
    }),
    ready: async () => true,
  };
}
