import type { HookResult } from '#domain/build/agent-protocol.ts';
import type { DueNotifications, NotificationDecision } from '#domain/build/due-notifications.ts';
import type { Schedule } from '#domain/pipeline/pipeline.ts';
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

/*
 * What the flows that request, claim and record checks need from outside. Every method that writes is one
 * transaction, and safe to repeat after a crash.
 */

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

/** Times are milliseconds since 1970. */
export interface TimerAhead {
  scope: number;
  schedule: Schedule;
  failures: number;
  next: number;
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
  /** At least one check became due. */
  written: boolean;
}

export interface CheckStore {
  /**
   * Marks the check as requested; the timer is reset when the check starts. Requests while a check runs lead
   * to one more check.
   */
  requestCheck(resource: ResourceName, cause: CheckCause, at: Date): Promise<'requested' | 'unknown'>;
  /**
   * One transaction for all calls, with the answers in the order of the calls. `wait`: wait for resources
   * that other transactions hold.
   */
  requestChecksByToken(
    webhooks: { calls: readonly WebhookCall[]; wait: boolean },
    at: Date,
  ): Promise<WebhooksAnswered>;
  /** The resource that the webhook token belongs to. */
  resourceOfToken(tokenHash: string): Promise<ResourceName | undefined>;
  /**
   * Checks of live pipelines that are due or requested and do not run. Of each team, at most `maxPerTeam`
   * that need a Pod and as many that need none; in all, at most 10,000. Checks that a person or webhook
   * requested come first, then the oldest due. For teams in `except`, only checks that need no Pod.
   */
  dueChecks(at: Date, maxPerTeam: number, except?: readonly string[]): Promise<DueCheck[]>;
  /**
   * Row ids of pipelines with a check that may be overdue by more than two intervals, for their status. The
   * interval of a cron expression counts as one minute.
   */
  overduePipelines(at: Date): Promise<number[]>;
  /**
   * Checks whose due time the operator sets and which are due later than `at`. Checks by an interval are
   * returned only if they are due more than two intervals later.
   */
  timersAhead(at: Date): Promise<TimerAhead[]>;
  /** Sets the due times of checks to `next`. Skips a check whose due time is no longer `from`. */
  moveTimers(moved: readonly { scope: number; from: number; next: number }[]): Promise<void>;
  /**
   * One transaction. If the process leads, it is refused once the leader epoch is over. `work` may run again
   * after a conflict, so `work` acts through `tx` only.
   */
  withChecks<T>(work: (tx: CheckTransaction) => Promise<T>): Promise<T>;
  /** Evaluates cron expressions in this process. */
  cronNext: CronNext;
  runFacts(run: number): Promise<CheckRunFacts | undefined>;
  /**
   * Ends a run whose Pod could not be created or cannot mount its cache. Frees its check scopes without a
   * result; their checks are due again at once.
   */
  releaseRun(run: number, at: Date, reason: string): Promise<void>;
  /** Runs that are not closed. */
  openRuns(): Promise<OpenRun[]>;
  /**
   * Open runs of hooks and of notifications, oldest first. `addVersions` opens a run for hooks that the new
   * versions trigger.
   */
  openHookRuns(): Promise<OpenHookRun[]>;
  /**
   * Builds whose notifications a run has to send, and no run sends yet: they have no agent, because they wait
   * for approval or ended without their agent. Only some builds of each team that has no open run of
   * notifications, oldest first.
   */
  dueNotifications(): Promise<DueNotifications[]>;
  /** Opens the runs, and records which notifications are not sent. */
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

/** Locks each scope that is read, until the transaction ends. */
export interface CheckTransaction {
  /** Those of these check scopes that are due or requested and that no run has claimed. */
  dueScopes(scopes: readonly number[], at: Date): Promise<FreeScope[]>;
  /** Check scopes of the group that no run has claimed, due or not. */
  freeScopesOf(group: GroupOfPod): Promise<FreeScope[]>;
  /** The run that was opened for this Pod. */
  runOfPod(podUid: string): Promise<number | undefined>;
  /** Claims the scopes for a new run. The Pod's name follows from the run's id. */
  openRun(run: RunToOpen): Promise<number>;
  /** Undefined: the resource was removed. */
  scopeOfCheck(scope: number, at: Date): Promise<CheckedScope | undefined>;
  /**
   * Adds the new versions in this order. If there are any, requests a decision on the jobs that may take
   * them.
   */
  addVersions(scope: number, versions: Record<string, string>[], at: Date): Promise<VersionsAdded>;
  /** Records the result of a successful check, and frees the scope. */
  freeScope(checked: ScopeChecked, at: Date): Promise<void>;
  /** Records the error, and frees the scope. */
  failCheck(failed: CheckFailed, at: Date): Promise<void>;
  /**
   * Requests a decision on jobs whose triggers wait for a check of these scopes. Returns whether there are
   * such jobs.
   */
  wakeTriggers(scopes: readonly number[]): Promise<boolean>;
  /** The scopes that the run has claimed and not freed. */
  scopesOf(run: number): Promise<(ScopeTimer & { live: boolean })[]>;
  /** `released`: versions no longer wait for the run's hooks. */
  closeRun(run: number, error: string | undefined, at: Date): Promise<{ released: boolean }>;
}

/**
 * The check group that the labels of a CronJob's Pod name. Anyone can write labels, so the namespace must be
 * that of the pipeline.
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
  /** Number of versions that the check did not report although they may be new. */
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
   * Number of older versions that the check did not report because it reports at most 100. Ignored if one of
   * the reported versions is known: then the older ones are known too.
   */
  omitted?: number;
  error?: string;
  log: string;
}
