import type { HookResult } from '#domain/build/agent-protocol.ts';
import type {
  CheckedScope,
  FreeScope,
  ScopeAfterCheck,
  ScopeClaimed,
  ScopeTimer,
} from '#domain/scheduling/check-timers.ts';
import type { CronNext } from '#domain/scheduling/next-check.ts';
import type { PipelineName, ResourceName } from '#flows/names.ts';
import type { CheckRunFacts, OpenHookRun, OpenRun } from '#flows/pods/workloads.ts';

/* Checks: what is asked for, claimed, and found. The rules of ports.ts hold here too. */

export type CheckCause = 'schedule' | 'manual' | 'webhook';

export interface DueCheck extends PipelineName {
  scope: number;
  pipelineId: number;
  namespace: string;
  resource: string;
  /** Checks of one group share a Pod. */
  group: string;
  builtInCron: boolean;
  cause: CheckCause;
  dueAt: Date;
}

export interface WebhookCall {
  tokenHash: string;
  /** What its headers say of its body, held against the secret of the token. */
  signature: 'absent' | 'valid' | 'invalid';
}

/**
 * `refused`: the signature is wrong, or there is none and there must be. `busy`: not asked; ask again, and
 * wait.
 */
export type WebhookAnswer = 'requested' | 'unknown' | 'refused' | 'busy';

export interface WebhooksAnswered {
  answers: WebhookAnswer[];
  /** A check is due that was not before. */
  written: boolean;
}

export interface CheckStore {
  /**
   * Resets nothing yet: the timer is reset when the check starts. Requests while one runs coalesce into one
   * more check.
   */
  requestCheck(resource: ResourceName, cause: CheckCause, at: Date): Promise<'requested' | 'unknown'>;
  /**
   * All in one transaction; answers in the order of the calls. `wait`: for resources that somebody else
   * holds.
   */
  requestChecksByToken(
    asked: { calls: readonly WebhookCall[]; wait: boolean },
    at: Date,
  ): Promise<WebhooksAnswered>;
  /**
   * Due or requested, not running, pipeline live: so many of each team, checks that need no Pod counted
   * apart. What a person or a webhook asked for comes first, then the oldest due. Of the teams named only
   * those that need no Pod.
   */
  dueChecks(at: Date, ofTeam: number, except?: readonly string[]): Promise<DueCheck[]>;
  /**
   * Pipelines (row ids) of which a check may be overdue by more than two of its intervals, so that somebody
   * says so although nothing happens to them. Of a cron expression the interval is taken to be a minute.
   */
  overduePipelines(at: Date): Promise<number[]>;
  /**
   * One transaction, the leader's where the process leads. `work` may run again after a conflict: it acts
   * through `tx` only.
   */
  withChecks<T>(work: (tx: CheckTransaction) => Promise<T>): Promise<T>;
  /** No request: what a calendar says. */
  cronNext: CronNext;
  runFacts(run: number): Promise<CheckRunFacts | undefined>;
  /**
   * Gives back scopes that have no result yet: nothing failed, no Pod could be made. They are due as before.
   */
  releaseRun(run: number, at: Date, reason: string): Promise<void>;
  /** Runs that are not closed, for the comparison with Pods. */
  openRuns(): Promise<OpenRun[]>;
  /** Those among them that run hooks, the oldest first; whoever records versions that fire some opens one. */
  openHookRuns(): Promise<OpenHookRun[]>;
  /** Why there is no Pod for the hooks yet. */
  explainHooks(run: number, reason: string): Promise<void>;
  /** What came of all hooks of a run, which is closed with that. */
  recordHooks(run: number, ended: HooksEnded, at: Date): Promise<{ pipelineId: number } | 'over'>;
}

export interface HooksEnded {
  results: HookResult[];
  /** What went wrong, in a sentence. */
  error?: string;
}

/** Each scope that it reads is held until its end. */
export interface CheckTransaction {
  /** Those of the scopes that are due, or asked for, and that no run has. */
  dueScopes(scopes: readonly number[], at: Date): Promise<FreeScope[]>;
  /** Scopes of the group that no run has, due or not. */
  freeScopesOf(group: GroupOfPod): Promise<FreeScope[]>;
  runOfPod(podUid: string): Promise<number | undefined>;
  /** The run has these scopes from now on. The Pod's name follows from its id. */
  openRun(run: RunToOpen): Promise<number>;
  /** Undefined: the resource went, and has no other history. */
  scopeOfCheck(scope: number, at: Date): Promise<CheckedScope | undefined>;
  /** Adds what is not known, in this order, and asks for a decision on the jobs that take it. */
  addVersions(scope: number, versions: Record<string, string>[], at: Date): Promise<VersionsAdded>;
  freeScope(checked: ScopeChecked, at: Date): Promise<void>;
  /** Also frees the scope. */
  failCheck(failed: CheckFailed, at: Date): Promise<void>;
  /**
   * Asks for a decision on the jobs of which a trigger waits for a check of these scopes. Answers whether
   * there are any.
   */
  wakeTriggers(scopes: readonly number[]): Promise<boolean>;
  scopesOf(run: number): Promise<(ScopeTimer & { live: boolean })[]>;
  /** `released`: versions wait for its hooks no longer. */
  closeRun(run: number, error: string | undefined, at: Date): Promise<{ released: boolean }>;
}

/**
 * Of a Pod that a CronJob made. What its labels say anyone can write, so the namespace must be the
 * pipeline's.
 */
export interface GroupOfPod {
  pipelineId: number;
  group: string;
  namespace: string;
  podUid: string;
}

export interface RunToOpen {
  /** Row id. */
  pipeline: number;
  group: string;
  cause: CheckCause;
  scopes: ScopeClaimed[];
  /** A Pod that is there already. */
  podUid?: string;
  at: Date;
}

export interface VersionsAdded {
  /** Row ids. */
  added: number[];
  /** How many different ones were given. */
  different: number;
}

export interface ScopeChecked extends ScopeAfterCheck {
  scope: number;
  /** The check had no run. */
  atOnce: boolean;
  /** Versions that were left out though they may be new. */
  cut: number;
  log: string;
}

export interface CheckFailed {
  scope: number;
  error: string;
  log: string;
  next: number | undefined;
}

export interface CheckOutcome {
  run?: number;
  scope: number;
  versions?: Record<string, string>[];
  /**
   * How many older versions were left out because one check brings at most 100. It counts if all that are
   * left are new.
   */
  cut?: number;
  error?: string;
  log: string;
}
