import { defined } from '#defined';
import { secondsOf } from '#domain/language/duration.ts';
import type { Amounts, Worker } from '#domain/planning/choose-nodes.ts';
import type { TeamVolume } from '#domain/planning/mount-volumes.ts';
import type { WarmSettings } from '#domain/scheduling/decide-warm-pods.ts';
import type { TeamRules } from './installation.ts';

/** The part of a Team's spec that determines its Pods and the sources of its pipelines. */
export interface TeamSpec {
  namespace?: string;
  podSecurity?: 'baseline' | 'restricted';
  defaults?: {
    image?: string;
    imagePullSecrets?: { name: string }[];
    resources?: { requests?: Amounts; limits?: Amounts };
  };
  sources?: { allowHTTP?: boolean; allowedHosts?: string[] };
  cache?: { storageClassName?: string; size: string; accessModes?: string[] };
  warm?: { pods: number; idle?: string };
  allowedTags?: string[];
  workers?: Worker[];
  volumes?: TeamVolume[];
}

/** Absent: no limit. */
export interface TeamLimits {
  /** The most builds that run at the same time. */
  runningBuilds?: number;
  /** The most check Pods that run at the same time. */
  runningChecks?: number;
  pipelines?: number;
  /** A Kubernetes quantity of bytes. */
  logBytes?: string;
}

/** The Team's own limits, and the installation's defaults for limits that the Team does not set. */
export function teamLimits(own: TeamLimits | undefined, defaults: TeamLimits): TeamLimits {
  const { runningBuilds, runningChecks, pipelines, logBytes } = { ...defaults, ...own };
  return defined({ runningBuilds, runningChecks, pipelines, logBytes });
}

/** With `baseline`, containers of `docker` steps run as the user that their image names. */
export const DEFAULT_POD_SECURITY = 'baseline';

export function teamRules(name: string, spec: TeamSpec): TeamRules {
  const {
    namespace = name,
    podSecurity = DEFAULT_POD_SECURITY,
    allowedTags,
    workers = [],
    volumes,
    sources,
  } = spec;
  return {
    name,
    namespace,
    podSecurity,
    workers,
    ...rulesOfDefaults(spec.defaults),
    ...defined({ allowedTags, volumes }),
    ...(sources && { sources: sourceRules(sources) }),
    ...(spec.warm && { warm: warmSettings(spec.warm) }),
    ...(spec.cache && { caches: { accessModes: ['ReadWriteOnce'], ...spec.cache } }),
  };
}

/** The CRD (`crds/teams.yaml`) has validated the values, so `idle` is a valid duration. */
function warmSettings({ pods, idle = '10m' }: NonNullable<TeamSpec['warm']>): WarmSettings {
  return { pods, idleSeconds: secondsOf(idle) ?? 0 };
}

type RulesOfDefaults = Pick<TeamRules, 'imagePullSecrets' | 'requests' | 'limits' | 'workerImage'>;

function rulesOfDefaults({
  image,
  imagePullSecrets = [],
  resources,
}: TeamSpec['defaults'] = {}): RulesOfDefaults {
  const { requests = {}, limits = {} } = resources ?? {};
  return { imagePullSecrets, requests, limits, ...defined({ workerImage: image }) };
}

function sourceRules({
  allowHTTP,
  allowedHosts,
}: NonNullable<TeamSpec['sources']>): TeamRules['sources'] & {} {
  return defined({ allowHttp: allowHTTP, hosts: allowedHosts });
}
