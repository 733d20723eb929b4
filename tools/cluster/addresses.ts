/**
 * The addresses of the cluster are in 198.18.0.0/15. That range is reserved for benchmarks, so no real
 * network uses it. `podRange` has the addresses of Pods and of the node.
 */
export const podRange = '198.18.0.0/16';
export const serviceRange = '198.19.0.0/16';
/** The ranges of Pods and of Services together. */
export const clusterRanges = '198.18.0.0/15';

export const nodeName = 'millrace';
export const bridge = 'millrace0';
/**
 * The address of the node is the bridge's own address, so no part of the cluster listens on the machine's
 * real networks.
 */
export const nodeAddress = '198.18.0.1';
export const bridgeMac = '02:00:c6:12:00:01';

/** The parent of the cgroups of all Pods. */
export const cgroup = 'millrace-cluster';

export const apiAddress = '198.19.0.1';
export const dnsAddress = '198.19.0.10';
export const clusterDomain = 'cluster.local';

/** The fixed TCP ports that parts of the cluster listen on, with their addresses. */
export const ports = {
  apiServer: { address: nodeAddress, port: 16443 },
  kubelet: { address: nodeAddress, port: 10250 },
  etcd: { address: '127.0.0.1', port: 12379 },
  etcdPeer: { address: '127.0.0.1', port: 12380 },
  etcdMetrics: { address: '127.0.0.1', port: 12381 },
  kubeletHealth: { address: '127.0.0.1', port: 10248 },
  proxyMetrics: { address: '127.0.0.1', port: 10249 },
  proxyHealth: { address: '127.0.0.1', port: 10256 },
  controllerManager: { address: '127.0.0.1', port: 10257 },
  scheduler: { address: '127.0.0.1', port: 10259 },
} as const;

/** Where end-to-end tests serve a registry with plain HTTP, which the installed chart allows. */
export const testRegistry = { address: nodeAddress, port: 15000 } as const;

export const apiUrl = `https://${ports.apiServer.address}:${ports.apiServer.port}`;
