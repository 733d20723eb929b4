import { defined } from '#adapters/kubernetes/defined.ts';
import type { Amounts, Worker } from '#domain/planning/place-pod.ts';
import type { TeamRules } from './installation.ts';

/** The part of a Team's spec that its Pods are made from. */
export interface TeamSpec {
  namespace?: string;
  podSecurity?: 'baseline' | 'restricted';
  defaults?: {
    image?: string;
    imagePullSecrets?: { name: string }[];
    resources?: { requests?: Amounts; limits?: Amounts };
  };
  sources?: { allowHTTP?: boolean; allowedHosts?: string[] };
  allowedTags?: string[];
  workers?: Worker[];
}

/** Absent means baseline: images of `docker` steps may then run as the user they name. */
export const DEFAULT_POD_SECURITY = 'baseline';

export function teamRules(name: string, spec: TeamSpec): TeamRules {
  const { image, imagePullSecrets = [], resources = {} } = spec.defaults ?? {};
  return defined({
    name,
    namespace: spec.namespace ?? name,
    podSecurity: spec.podSecurity ?? DEFAULT_POD_SECURITY,
    imagePullSecrets,
    requests: resources.requests ?? {},
    limits: resources.limits ?? {},
    workers: spec.workers ?? [],
    allowedTags: spec.allowedTags,
    sources: spec.sources && sourceRules(spec.sources),
    workerImage: image,
  });
}

function sourceRules({
  allowHTTP,
  allowedHosts,
}: NonNullable<TeamSpec['sources']>): TeamRules['sources'] & {} {
  return defined({ allowHttp: allowHTTP, hosts: allowedHosts });
}
