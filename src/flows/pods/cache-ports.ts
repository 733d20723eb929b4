import type { CacheUse } from '#domain/planning/cache-volumes.ts';
import type { CacheFacts } from '#domain/planning/decide-cache-volumes.ts';

/* What flows need from outside to give the caches of resources and jobs to Pods. */

/** What a Pod is for: an attempt of a build, or a check run. */
export type CacheUser = { pipelineId: number } & ({ build: number; attempt: number } | { run: number });

export interface CacheStore {
  /** Adds rows for caches of these resources that have none, and locks the caches until `work` ends. */
  withCaches<T>(
    user: CacheUser,
    resources: readonly string[],
    work: (tx: CacheTransaction) => Promise<T>,
  ): Promise<T>;
  /** Frees the caches of a Pod that was not created. */
  releaseCaches(user: CacheUser): Promise<void>;
  /** Frees one cache that the Pod was to use, and records why the Pod runs without it. */
  leaveOut(user: CacheUser, use: CacheUse): Promise<void>;
}

export interface CacheTransaction {
  /** What an earlier decision gave this Pod. Empty: there was no such decision. */
  uses(): Promise<CacheUse[]>;
  facts(): Promise<CacheFacts>;
  use(uses: readonly CacheUse[], at: Date): Promise<void>;
}

/** A Team's settings for the volumes of caches. */
export interface CacheSettings {
  /** Absent: the default class of the cluster. */
  storageClassName?: string;
  /** A Kubernetes quantity. */
  size: string;
  accessModes: string[];
}

/** The PersistentVolumeClaim of one cache. */
export interface CacheClaim {
  cache: number;
  generation: number;
  resource: string;
  team: string;
  namespace: string;
  pipeline: string;
  settings: CacheSettings;
}

export type ClaimAnswer = { answer: 'ready' } | { answer: 'refused'; message: string };

/** A cache that a Pod mounts. */
export interface PodCache {
  cache: number;
  generation: number;
  resource: string;
  folder: string;
  containers: string[];
}
