import { clusterDomain, dnsAddress } from './addresses.ts';
import { dnsImage } from './images.ts';

const dnsLabels = { 'k8s-app': 'kube-dns' };
const dnsPort = 1053;
const inSystemNamespace = { namespace: 'kube-system' };

/** Objects that each start applies, besides those that the API server creates. */
export function clusterObjects(upstream: readonly string[]): object {
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [storageClass, ...accessRules, ...dns(corefile(upstream))],
  };
}

/** Configuration of the DNS server. Without upstream servers it answers only for the cluster. */
export function corefile(upstream: readonly string[]): string {
  const forward =
    upstream.length === 0 ? '' : `    forward . ${upstream.join(' ')} {\n      max_concurrent 1000\n    }\n`;
  return `.:${dnsPort} {
    errors
    health :8080 {
      lameduck 0s
    }
    ready :8181
    kubernetes ${clusterDomain} in-addr.arpa ip6.arpa {
      pods insecure
      fallthrough in-addr.arpa ip6.arpa
      ttl 5
    }
    prometheus :9153
${forward}    cache 30 {
      disable success ${clusterDomain}
      disable denial ${clusterDomain}
    }
    loop
    reload
    loadbalance
}
`;
}

const storageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'millrace.dev/local-directory',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
};

const accessRules = [
  binding('millrace-kube-apiserver-kubelet', 'system:kubelet-api-admin', {
    kind: 'User',
    name: 'kube-apiserver-kubelet-client',
    apiGroup: 'rbac.authorization.k8s.io',
  }),
  binding('millrace-volumes', 'system:persistent-volume-provisioner', {
    kind: 'User',
    name: 'millrace:volumes',
    apiGroup: 'rbac.authorization.k8s.io',
  }),
  binding('system:coredns', 'system:coredns', {
    kind: 'ServiceAccount',
    name: 'coredns',
    ...inSystemNamespace,
  }),
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'system:coredns' },
    rules: [
      { apiGroups: [''], resources: ['services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
    ],
  },
];

function binding(name: string, role: string, subject: object): object {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [subject],
  };
}

function dns(configuration: string): object[] {
  const metadata = { name: 'coredns', ...inSystemNamespace, labels: dnsLabels };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { Corefile: configuration } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...metadata, name: 'kube-dns' },
      spec: {
        clusterIP: dnsAddress,
        selector: dnsLabels,
        ports: [
          { name: 'dns', port: 53, targetPort: dnsPort, protocol: 'UDP' },
          { name: 'dns-tcp', port: 53, targetPort: dnsPort, protocol: 'TCP' },
        ],
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        replicas: 1,
        selector: { matchLabels: dnsLabels },
        template: { metadata: { labels: dnsLabels }, spec: dnsPod },
      },
    },
  ];
}

const dnsPod = {
  serviceAccountName: 'coredns',
  priorityClassName: 'system-cluster-critical',
  // CoreDNS must not use itself as its upstream.
  dnsPolicy: 'Default',
  terminationGracePeriodSeconds: 1,
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  tolerations: [{ operator: 'Exists' }],
  containers: [
    {
      name: 'coredns',
      image: dnsImage,
      imagePullPolicy: 'IfNotPresent',
      args: ['-conf', '/etc/coredns/Corefile'],
      resources: { requests: { cpu: '20m', memory: '32Mi' }, limits: { memory: '170Mi' } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
      livenessProbe: { httpGet: { path: '/health', port: 8080 }, periodSeconds: 10, failureThreshold: 5 },
      volumeMounts: [{ name: 'configuration', mountPath: '/etc/coredns', readOnly: true }],
    },
  ],
  volumes: [{ name: 'configuration', configMap: { name: 'coredns' } }],
};
