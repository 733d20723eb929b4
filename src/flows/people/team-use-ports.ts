import type { WorkerNodes } from '#domain/planning/worker-nodes.ts';

/* How much a team may use, and how much it uses now. */

export interface TeamUseLimits {
  /** Builds that may run at a time. Absent: only the quota of the namespace limits them. */
  runningBuilds?: number;
  /** Timeout of a build whose job sets none. Absent: that of the installation. */
  defaultTimeoutSeconds?: number;
  /** Limit for the log of one build. Absent: that of the installation. */
  buildLogBytes?: number;
  /** Which old builds stay: their number, their age in days, and how many succeeded ones at least. */
  retention?: { builds?: number; days?: number; minimumSucceeded?: number };
}

export interface TeamUsage {
  runningBuilds: number;
  queuedBuilds: number;
  /** Builds that wait for an approval. */
  waitingBuilds: number;
  /** Stored logs of all builds, compressed. */
  logBytes: number;
  caches: number;
  /** Size of all caches, as measured at their last use. */
  cacheBytes: number;
  /** Warm Pods that are ready or being created. */
  warmPods: number;
}

export interface TeamLimitsAndUsage {
  team: string;
  displayName?: string;
  namespace: string;
  createdAt: Date;
  limits: TeamUseLimits;
  /** Nodes that may run builds of the team, as the operator last counted them. Absent: not counted yet. */
  workers?: WorkerNodes[];
  usage: TeamUsage;
}

export interface TeamUseViews {
  /** Undefined: no such team. */
  useOf(team: string): Promise<TeamLimitsAndUsage | undefined>;
  /** Of all teams, by name. */
  useOfTeams(): Promise<TeamLimitsAndUsage[]>;
}

/** Bytes of stored logs, by the row id of the team. */
export interface LogSizes {
  ofTeam(team: number): Promise<number>;
  /** A team without logs may be absent. */
  ofTeams(): Promise<ReadonlyMap<number, number>>;
}

/** Caches what `sizes` returns. */
export type CacheLogSizes = (sizes: LogSizes) => LogSizes;
