import type { HookResult } from '#domain/build/agent-protocol.ts';
import type { DueNotifications, NotificationDecision } from '#domain/build/due-notifications.ts';
import type {
  CheckedScope,
  ClaimedScope,
  FreeScope,
  ScopeAfterCheck,
  ScopeTimer,
} from '#domain/scheduling/check-timers.ts';
import type { CronNext } from '#domain/scheduling/next-check.ts';
import type { PipelineName, ResourceName } from '#flows/names.ts';
import type { CheckRunFacts, OpenHookRun, OpenRun } from '#flows/pods/workloads.ts';

/* Checks: requesting, claiming and recording them. The rules at the top of builds/ports.ts apply here too. */

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
  /** Whether the signature of the request's body matches the secret of the token. */
  signature: 'absent' | 'valid' | 'invalid';
}

/**
 * `refused`: the signature is wrong, or it is missing and required. `busy`: another transaction holds the
 * resource; call again with `wait`.
 */
export type WebhookAnswer = 'requested' | 'unknown' | 'refused' | 'busy';

export interface WebhooksAnswered {
  answers: WebhookAnswer[];
  /** A check became due. */
  written: boolean;
}

export interface CheckStore {
  /**
   * Marks the check as requested; the timer is reset when it starts. Requests while a check runs lead to one
   * more check.
   */
  requestCheck(resource: ResourceName, cause: CheckCause, at: Date): Promise<'requested' | 'unknown'>;
  /**
   * One transaction for all calls. Answers in their order. `wait`: wait for resources that other transactions
   * hold.
   */
  requestChecksByToken(
    webhooks: { calls: readonly WebhookCall[]; wait: boolean },
    at: Date,
  ): Promise<WebhooksAnswered>;
  /** The resource that the webhook token belongs to. */
  resourceOfToken(tokenHash: string): Promise<ResourceName | undefined>;
  /**
   * Checks of live pipelines that are due or requested and do not run: at most `ofTeam` of each team, checks
   * without a Pod counted apart. Requested checks come first, then the oldest due. For teams in `except`,
   * only checks without a Pod.
   */
  dueChecks(at: Date, ofTeam: number, except?: readonly string[]): Promise<DueCheck[]>;
  /**
   * Row ids of pipelines whose checks may be overdue by more than two intervals, for their status. The
   * interval of a cron expression counts as one minute.
   */
  overduePipelines(at: Date): Promise<number[]>;
  /**
   * One transaction, fenced by the leader epoch if the process leads. `work` may run again after a conflict,
   * so it acts through `tx` only.
   */
  withChecks<T>(work: (tx: CheckTransaction) => Promise<T>): Promise<T>;
  /** Evaluates cron expressions. No request. */
  cronNext: CronNext;
  runFacts(run: number): Promise<CheckRunFacts | undefined>;
  /** Frees the scopes without a result because no Pod could be created. They are due as before. */
  releaseRun(run: number, at: Date, reason: string): Promise<void>;
  /** Runs that are not closed. */
  openRuns(): Promise<OpenRun[]>;
  /**
   * Open runs of hooks and of notifications, oldest first. `addVersions` opens a run for hooks that the new
   * versions trigger.
   */
  openHookRuns(): Promise<OpenHookRun[]>;
  /**
   * Builds whose notifications no run sends yet: those that wait for approval or ended without their agent.
   * Some of each team that has no open run, oldest first.
   */
  dueNotifications(): Promise<DueNotifications[]>;
  /** Opens the runs, and drops what is not to be sent. */
  openNotificationRuns(decision: NotificationDecision): Promise<void>;
  /** Records why the hooks have no Pod yet. */
  explainHooks(run: number, reason: string): Promise<void>;
  /** Records the results of all hooks or notifications of a run and closes it. */
  recordHooks(run: number, ended: HooksEnded, at: Date): Promise<{ pipelineId: number } | 'over'>;
}

export interface HooksEnded {
  results: HookResult[];
  /** What went wrong, as a sentence. */
  error?: string;
}

/** Locks each scope that it reads until it ends. */
export interface CheckTransaction {
  /** Filters the scopes: those that are due or requested and that no run has claimed. */
  dueScopes(scopes: readonly number[], at: Date): Promise<FreeScope[]>;
  /** Scopes of the group that no run has claimed, due or not. */
  freeScopesOf(group: GroupOfPod): Promise<FreeScope[]>;
  runOfPod(podUid: string): Promise<number | undefined>;
  /** Claims the scopes for a new run. The Pod's name follows from the run's id. */
  openRun(run: RunToOpen): Promise<number>;
  /** Undefined: the resource was removed. */
  scopeOfCheck(scope: number, at: Date): Promise<CheckedScope | undefined>;
  /** Adds new versions in this order and requests a decision on the jobs that get the resource. */
  addVersions(scope: number, versions: Record<string, string>[], at: Date): Promise<VersionsAdded>;
  freeScope(checked: ScopeChecked, at: Date): Promise<void>;
  /** Frees the scope too. */
  failCheck(failed: CheckFailed, at: Date): Promise<void>;
  /**
   * Requests a decision on jobs whose triggers wait for a check of these scopes. Returns whether there are
   * any.
   */
  wakeTriggers(scopes: readonly number[]): Promise<boolean>;
  scopesOf(run: number): Promise<(ScopeTimer & { live: boolean })[]>;
  /** `released`: versions no longer wait for the run's hooks. */
  closeRun(run: number, error: string | undefined, at: Date): Promise<{ released: boolean }>;
}

/**
 * From the labels of a Pod that a CronJob created. Anyone can write labels, so the namespace must be the
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
  scopes: ClaimedScope[];
  /** The Pod, if it exists already. */
  podUid?: string;
  at: Date;
}

export interface VersionsAdded {
  /** Row ids. */
  added: number[];
  /** Number of different versions among those given. */
  different: number;
}

export interface ScopeChecked extends ScopeAfterCheck {
  scope: number;
  /** The check had no run: it started and ended at once. */
  atOnce: boolean;
  /** Number of versions that the check omitted although they may be new. */
  omitted: number;
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
   * Number of older versions that were omitted because a check reports at most 100. It counts only if all
   * reported versions are new.
   */
  omitted?: number;
  error?: string;
  log: string;
}
