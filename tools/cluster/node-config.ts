import { existsSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import {
  bridge,
  cgroup,
  clusterDomain,
  dnsAddress,
  nodeAddress,
  nodeName,
  podRange,
  ports,
  testRegistry,
} from './addresses.ts';
import { binaryPath, type Folders } from './folders.ts';
import { pauseImage } from './images.ts';
import { kubeconfigOf, pkiOf } from './pki.ts';

/** The configuration files of containerd, the kubelet and kube-proxy, and the kubelet's resolver file. */
export type NodeFiles = {
  readonly containerd: string;
  readonly kubelet: string;
  readonly proxy: string;
  readonly resolver: string;
};

/** Type of overlay file systems. They cannot be stacked, so on one of them containerd copies whole layers. */
const overlayMagic = 0x794c7630;

/** Number of the capability CAP_SYS_RESOURCE, needed to lower a process's out-of-memory score. */
const capSysResource = 24n;

export function nodeFilesOf(folders: Folders): NodeFiles {
  const folder = join(folders.state, 'config');
  return {
    containerd: join(folder, 'containerd.toml'),
    kubelet: join(folder, 'kubelet.yaml'),
    proxy: join(folder, 'kube-proxy.yaml'),
    resolver: join(folder, 'resolv.conf'),
  };
}

/** Folder with a subfolder for each registry that containerd reads without TLS: the one of the tests. */
function registryFiles(folders: Folders): string {
  return join(folders.state, 'config', 'registries');
}

/** containerd's socket. */
export function containerdSocket(folders: Folders): string {
  return join(folders.sockets, 'containerd.sock');
}

/** Folder in which host-local records addresses of Pods. */
export function addressRecordsFolder(folders: Folders): string {
  return join(folders.state, 'cni', 'addresses');
}

/** Writes all configuration files of the node. */
export function writeNodeFiles(folders: Folders): void {
  const files = nodeFilesOf(folders);
  const network = join(folders.state, 'cni', 'config');
  mkdirSync(join(folders.state, 'config'), { recursive: true });
  mkdirSync(network, { recursive: true });
  const status = readFileSync('/proc/self/status', 'utf8');
  writeIfChanged(files.containerd, containerdConfig(folders, snapshotter(folders), mayLowerScores(status)));
  const registry = `${testRegistry.address}:${testRegistry.port}`;
  mkdirSync(join(registryFiles(folders), registry), { recursive: true });
  writeIfChanged(join(registryFiles(folders), registry, 'hosts.toml'), `server = "http://${registry}"\n`);
  writeIfChanged(files.kubelet, stringify(kubeletConfig(folders)));
  writeIfChanged(files.proxy, stringify(proxyConfig(folders)));
  writeIfChanged(files.resolver, resolverConfig(upstreamServers(readResolvers())));
  writeIfChanged(join(network, '10-millrace.conflist'), JSON.stringify(networkConfig(folders), null, 2));
}

/** kube-proxy exits when its file is written, even with the same content. */
function writeIfChanged(path: string, text: string): void {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
    writeFileSync(path, text);
  }
}

/** The snapshotter that works on the file system of the state folder. */
export function snapshotter(folders: Folders): 'overlayfs' | 'native' {
  return statfsSync(folders.state).type === overlayMagic ? 'native' : 'overlayfs';
}

/** Whether a process with this `/proc/…/status` may lower out-of-memory scores. */
export function mayLowerScores(status: string): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0';
  return ((BigInt(`0x${effective}`) >> capSysResource) & 1n) === 1n;
}

/**
 * At most three name servers that Pods can reach, so none on a loopback address. They come from the first
 * resolver file that has any.
 */
export function upstreamServers(resolvers: readonly string[]): string[] {
  for (const text of resolvers) {
    const servers = [...text.matchAll(/^[ \t]*nameserver[ \t]+(\S+)/gm)].flatMap((match) => match[1] ?? []);
    const reachable = servers.filter((server) => !/^(127\.|::1$|0\.0\.0\.0$)/.test(server));
    if (reachable.length > 0) {
      return reachable.slice(0, 3);
    }
  }
  return [];
}

/** Texts of the resolver files of the machine; the one with real servers behind systemd's stub comes last. */
export function readResolvers(): string[] {
  return ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf']
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'utf8'));
}

function resolverConfig(servers: readonly string[]): string {
  return servers.map((server) => `nameserver ${server}\n`).join('');
}

function containerdConfig(folders: Folders, snapshots: string, mayLower: boolean): string {
  const quote = JSON.stringify;
  return `version = 3
root = ${quote(join(folders.state, 'containerd'))}
state = ${quote(join(folders.sockets, 'containerd'))}
disabled_plugins = [
  "io.containerd.snapshotter.v1.blockfile", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.erofs", "io.containerd.snapshotter.v1.zfs", "io.containerd.internal.v1.tracing",
  "io.containerd.tracing.processor.v1.otlp", "io.containerd.nri.v1.nri",
]

[grpc]
  address = ${quote(containerdSocket(folders))}

[plugins."io.containerd.internal.v1.opt"]
  path = ${quote(join(folders.state, 'containerd-opt'))}

[plugins."io.containerd.cri.v1.images"]
  snapshotter = ${quote(snapshots)}
  [plugins."io.containerd.cri.v1.images".registry]
    config_path = ${quote(registryFiles(folders))}
  [plugins."io.containerd.cri.v1.images".pinned_images]
    sandbox = ${quote(pauseImage)}

[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = ${!mayLower}
  netns_mounts_under_state_dir = true
  disable_apparmor = true
  enable_unprivileged_ports = true
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = [${quote(join(binaryPath(folders, 'bridge'), '..'))}]
    conf_dir = ${quote(join(folders.state, 'cni', 'config'))}
  [plugins."io.containerd.cri.v1.runtime".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      runtime_path = ${quote(binaryPath(folders, 'containerd-shim-runc-v2'))}
      [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
        BinaryName = ${quote(binaryPath(folders, 'runc'))}
        Root = ${quote(join(folders.sockets, 'runc'))}
        SystemdCgroup = false
`;
}

function kubeletConfig(folders: Folders): object {
  const pki = pkiOf(folders);
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: ports.kubelet.address,
    port: ports.kubelet.port,
    healthzBindAddress: ports.kubeletHealth.address,
    healthzPort: ports.kubeletHealth.port,
    tlsCertFile: pki.kubelet.certificate,
    tlsPrivateKeyFile: pki.kubelet.key,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: pki.cluster.certificate },
    },
    authorization: { mode: 'Webhook' },
    containerRuntimeEndpoint: `unix://${containerdSocket(folders)}`,
    clusterDNS: [dnsAddress],
    clusterDomain,
    resolvConf: nodeFilesOf(folders).resolver,
    podLogsDir: join(folders.state, 'pod-logs'),
    volumePluginDir: join(folders.state, 'volume-plugins'),
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    failSwapOn: false,
    cgroupRoot: `/${cgroup}`,
    enforceNodeAllocatable: [],
    makeIPTablesUtilChains: false,
    oomScoreAdj: 0,
    // With another policy, if the kubelet has pulled an image from a test's registry under another name, it
    // would pull the image again to verify that this Pod may use it.
    imagePullCredentialsVerificationPolicy: 'NeverVerify',
    // No image is removed for its age or size, because the kubelet could not pull images from files again.
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    evictionHard: {
      'memory.available': '100Mi',
      'nodefs.available': '1%',
      'nodefs.inodesFree': '1%',
      'imagefs.available': '1%',
    },
  };
}

function proxyConfig(folders: Folders): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    clientConnection: { kubeconfig: kubeconfigOf(folders, 'proxy') },
    clusterCIDR: podRange,
    hostnameOverride: nodeName,
    bindAddress: nodeAddress,
    metricsBindAddress: `${ports.proxyMetrics.address}:${ports.proxyMetrics.port}`,
    healthzBindAddress: `${ports.proxyHealth.address}:${ports.proxyHealth.port}`,
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    // If the kernel does not show bridged packets to nftables, answers bypass the rules unless all traffic is
    // masqueraded.
    nftables: { masqueradeAll: !existsSync('/proc/sys/net/bridge/bridge-nf-call-iptables') },
    oomScoreAdj: 0,
  };
}

/**
 * The network of Pods. It has no masquerading rule per Pod, because firewall.ts has one for the whole range.
 */
function networkConfig(folders: Folders): object {
  return {
    cniVersion: '1.0.0',
    name: 'millrace',
    plugins: [
      {
        type: 'bridge',
        bridge,
        isGateway: true,
        isDefaultGateway: true,
        ipMasq: false,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          dataDir: addressRecordsFolder(folders),
          ranges: [[{ subnet: podRange, rangeStart: '198.18.1.0', gateway: nodeAddress }]],
        },
      },
      { type: 'portmap', backend: 'nftables', capabilities: { portMappings: true } },
    ],
  };
}
