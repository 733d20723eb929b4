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

/** Absent: no limit. */
export interface TeamLimits {
  /** At a time, as check Pods. */
  runningBuilds?: number;
  runningChecks?: number;
  pipelines?: number;
  /** Amount of bytes as Kubernetes writes it. */
  logBytes?: string;
}

/** What a Team says itself, and else what the installation says for all. */
export function teamLimits(own: TeamLimits | undefined, defaults: TeamLimits): TeamLimits {
  const { runningBuilds, runningChecks, pipelines, logBytes } = { ...defaults, ...own };
  return {
    ...(runningBuilds === undefined ? {} : { runningBuilds }),
    ...(runningChecks === undefined ? {} : { runningChecks }),
    ...(pipelines === undefined ? {} : { pipelines }),
    ...(logBytes === undefined ? {} : { logBytes }),
  };
}

/** Absent means baseline: images of `docker` steps may then run as the user they name. */
export const DEFAULT_POD_SECURITY = 'baseline';

export function teamRules(name: string, spec: TeamSpec): TeamRules {
  const { namespace = name, podSecurity = DEFAULT_POD_SECURITY, allowedTags, workers = [], sources } = spec;
  return {
    name,
    namespace,
    podSecurity,
    workers,
    ...rulesOfDefaults(spec.defaults),
    ...(allowedTags && { allowedTags }),
    ...(sources && { sources: sourceRules(sources) }),
  };
}

type OfDefaults = Pick<TeamRules, 'imagePullSecrets' | 'requests' | 'limits' | 'workerImage'>;

function rulesOfDefaults({ image, imagePullSecrets = [], resources }: TeamSpec['defaults'] = {}): OfDefaults {
  const { requests = {}, limits = {} } = resources ?? {};
  return { imagePullSecrets, requests, limits, ...(image === undefined ? {} : { workerImage: image }) };
}

function sourceRules({
  allowHTTP,
  allowedHosts,
}: NonNullable<TeamSpec['sources']>): TeamRules['sources'] & {} {
  return {
    ...(allowHTTP === undefined ? {} : { allowHttp: allowHTTP }),
    ...(allowedHosts === undefined ? {} : { hosts: allowedHosts }),
  };
}
