/** A program, or several, built from one Go module. */
export type Tool = {
  readonly name: string;
  readonly version: string;
  /** The module that `version` belongs to; `modules/<name>/go.mod` must require it. */
  readonly module: string;
  /** Package to build, and the name of its binary. */
  readonly packages: Readonly<Record<string, string>>;
  readonly ldflags: readonly string[];
  readonly tags?: string;
  readonly cgo?: boolean;
  /** Folders of the module that the program reads; they are copied beside the binaries. */
  readonly data?: readonly string[];
  /** Built only on request. */
  readonly optional?: boolean;
};

const kubernetes = 'v1.36.3';
const containerd = 'v2.4.2';
const cni = 'v1.9.1';
const helm = 'v4.3.1';
const kwok = 'v0.8.0';
const gitea = 'v1.26.0';

/**
 * The programs of the embedded cluster, and optional ones of tests and benchmarks. Their versions are only
 * here and in go.mod.
 */
export const tools: readonly Tool[] = [
  {
    name: 'kubernetes',
    version: kubernetes,
    module: 'k8s.io/kubernetes',
    packages: {
      'k8s.io/kubernetes/cmd/kube-apiserver': 'kube-apiserver',
      'k8s.io/kubernetes/cmd/kube-controller-manager': 'kube-controller-manager',
      'k8s.io/kubernetes/cmd/kube-proxy': 'kube-proxy',
      'k8s.io/kubernetes/cmd/kube-scheduler': 'kube-scheduler',
      'k8s.io/kubernetes/cmd/kubectl': 'kubectl',
      'k8s.io/kubernetes/cmd/kubelet': 'kubelet',
      './volumes': 'millrace-volumes',
    },
    ldflags: ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((path) => [
      `-X ${path}.gitVersion=${kubernetes}`,
      `-X ${path}.gitMajor=${kubernetes.split('.')[0]?.slice(1)}`,
      `-X ${path}.gitMinor=${kubernetes.split('.')[1]}`,
      `-X ${path}.gitTreeState=clean`,
    ]),
  },
  {
    name: 'etcd',
    version: 'v3.7.3',
    module: 'go.etcd.io/etcd/server/v3',
    packages: { 'go.etcd.io/etcd/server/v3': 'etcd' },
    ldflags: [],
  },
  {
    name: 'containerd',
    version: containerd,
    module: 'github.com/containerd/containerd/v2',
    packages: {
      'github.com/containerd/containerd/v2/cmd/containerd': 'containerd',
      'github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2': 'containerd-shim-runc-v2',
      'github.com/containerd/containerd/v2/cmd/ctr': 'ctr',
    },
    ldflags: [`-X github.com/containerd/containerd/v2/version.Version=${containerd}`],
  },
  {
    name: 'runc',
    version: 'v1.5.0',
    module: 'github.com/opencontainers/runc',
    packages: { 'github.com/opencontainers/runc': 'runc' },
    ldflags: [],
    tags: 'seccomp',
    cgo: true,
  },
  {
    name: 'cni',
    version: cni,
    module: 'github.com/containernetworking/plugins',
    packages: {
      'github.com/containernetworking/plugins/plugins/ipam/host-local': 'host-local',
      'github.com/containernetworking/plugins/plugins/main/bridge': 'bridge',
      'github.com/containernetworking/plugins/plugins/main/loopback': 'loopback',
      'github.com/containernetworking/plugins/plugins/meta/portmap': 'portmap',
    },
    ldflags: [`-X github.com/containernetworking/plugins/pkg/utils/buildversion.BuildVersion=${cni}`],
  },
  {
    name: 'coredns',
    version: 'v1.15.0',
    module: 'github.com/coredns/coredns',
    packages: { '.': 'coredns' },
    ldflags: [],
  },
  {
    name: 'helm',
    version: helm,
    module: 'helm.sh/helm/v4',
    packages: { 'helm.sh/helm/v4/cmd/helm': 'helm' },
    ldflags: [`-X helm.sh/helm/v4/internal/version.version=${helm}`],
  },
  {
    name: 'kwok',
    version: kwok,
    module: 'sigs.k8s.io/kwok',
    packages: { 'sigs.k8s.io/kwok/cmd/kwok': 'kwok' },
    ldflags: [`-X sigs.k8s.io/kwok/pkg/consts.Version=${kwok}`],
    optional: true,
  },
  // A store with the API of S3, for the tests of the type artifact.
  {
    name: 'versitygw',
    version: 'v1.8.0',
    module: 'github.com/versity/versitygw',
    packages: { 'github.com/versity/versitygw/cmd/versitygw': 'versitygw' },
    ldflags: [],
    optional: true,
  },
  // A forge, for the tests of the type git, of webhooks and of sign-in.
  {
    name: 'gitea',
    version: gitea,
    module: 'code.gitea.io/gitea',
    packages: { 'code.gitea.io/gitea': 'gitea' },
    ldflags: [`-X main.Version=${gitea.slice(1)}`],
    tags: 'sqlite,sqlite_unlock_notify',
    cgo: true,
    optional: true,
    data: ['options', 'public', 'templates'],
  },
];
