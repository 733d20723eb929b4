import type { JsonObject } from '#domain/language/json-value.ts';
import type { Command, StepEnvironment } from './command.ts';

/** What a hook does: a command of its own, or a step. Hooks of hooks do not exist. */
export type HookAction = { kind: 'command'; run: Command } | TaskStep | PutStep | NotifyStep;

/** Blocks of one kind run in the order of the file. */
export interface Hooks {
  onSuccess?: HookAction[];
  onFailure?: HookAction[];
  onCancel?: HookAction[];
  ensure?: HookAction[];
}

export type Step = ActionStep | ServiceStep | ParallelStep | BranchStep;

/** A step that does one thing. */
export type ActionStep = GetStep | TaskStep | PutStep | NotifyStep;

interface Attempted {
  /** Limit of one attempt. */
  timeoutSeconds?: number;
  /** Absent: 1. */
  attempts?: number;
  hooks?: Hooks;
}

export interface GetStep extends Attempted, StepEnvironment {
  kind: 'get';
  /** Second label: names the step and the `GET_<NAME>_<KEY>` variables. */
  name: string;
  resource: string;
  trigger: boolean;
  /** Jobs whose good builds must have used the same version, groups expanded; empty: any version will do. */
  passed: string[];
  /**
   * `every`: no version is skipped. `latest`: the newest. Absent: every version without `passed`, the newest
   * with it.
   */
  version?: 'every' | 'latest';
  /** Parameters of the get, if the type has a protocol. */
  protocolParams?: JsonObject;
}

export interface TaskStep extends Attempted, StepEnvironment {
  kind: 'task';
  name: string;
  run: Command;
  /** Paths that must exist before, relative to the working directory. */
  inputs?: string[];
  /** Paths that must exist after. */
  outputs?: string[];
  /** Name of a cache of the job, which the task restores or saves. */
  cache?: string;
}

export interface PutStep extends Attempted, StepEnvironment {
  kind: 'put';
  name: string;
  resource: string;
  params: Record<string, string>;
  /** Replaces `params` if the type has a protocol. */
  protocolParams?: JsonObject;
}

export interface NotifyStep extends Attempted {
  kind: 'notify';
  /** `<type>.<label>`. */
  notification: string;
  /** Overrides the notification's. */
  message?: string;
  params: Record<string, string>;
}

export interface ServiceStep {
  kind: 'service';
  type: string;
  /** Time limit from start to readiness. */
  timeoutSeconds?: number;
  params: Record<string, string>;
}

export interface ParallelStep extends Attempted {
  kind: 'parallel';
  /** Absent: all at once. */
  limit?: number;
  failFast: boolean;
  steps: ActionStep[];
}

/** An `if` with its `else_if` and `else`: the first branch whose condition holds runs. */
interface BranchStep {
  kind: 'branch';
  branches: Branch[];
}

export interface Branch {
  /** Only people read it: the label of a block whose condition is an attribute. */
  name?: string;
  /**
   * Absent: `else`. Checked when the pipeline is read; variables are filled into the parsed tree, never into
   * the text.
   */
  condition?: string;
  steps: Step[];
}

/** Every step that does one thing, those inside groups and branches included, in the order of the file. */
export function actionsOf(steps: readonly Step[]): ActionStep[] {
  return steps.flatMap((step) => {
    if (step.kind === 'service') return [];
    if (step.kind === 'parallel') return step.steps;
    return step.kind === 'branch' ? step.branches.flatMap((branch) => actionsOf(branch.steps)) : [step];
  });
}

/** All gets of a job, nested ones too. A build lists its versions in this order. */
export function getsOf(steps: readonly Step[]): GetStep[] {
  return actionsOf(steps).filter((step) => step.kind === 'get');
}

/** The actions of the hooks of a job and of its steps, without `on_trigger`. */
export function hookActionsOf(job: { steps: Step[]; hooks?: Hooks }): HookAction[] {
  return [
    ...actionsOf(job.steps).flatMap((step) => actionsOfHooks(step.hooks)),
    ...groupHooks(job.steps),
    ...actionsOfHooks(job.hooks),
  ];
}

function groupHooks(steps: readonly Step[]): HookAction[] {
  return steps.flatMap((step) => {
    if (step.kind === 'parallel') return actionsOfHooks(step.hooks);
    return step.kind === 'branch' ? step.branches.flatMap((branch) => groupHooks(branch.steps)) : [];
  });
}

function actionsOfHooks({ onSuccess, onFailure, onCancel, ensure }: Hooks = {}): HookAction[] {
  return [onSuccess, onFailure, onCancel, ensure].flatMap((hook) => hook ?? []);
}
