import type { JsonObject } from '#domain/language/json-value.ts';
import type { Command, StepEnvironment } from './command.ts';

/** What a hook does: a single command, or a step. Steps in hooks have no hooks themselves. */
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
  /** The time limit of one attempt. */
  timeoutSeconds?: number;
  /** How many times the step is tried. Absent: 1. */
  attempts?: number;
  hooks?: Hooks;
}

export interface GetStep extends Attempted, StepEnvironment {
  kind: 'get';
  /** The last label, or that of the resource. It names the step and the variables `GET_<NAME>_<KEY>`. */
  name: string;
  resource: string;
  trigger: boolean;
  /**
   * Jobs whose good builds must have taken or made the same version, with groups expanded. Empty: the get
   * takes any version.
   */
  passed: string[];
  /**
   * `every`: the trigger builds every version. `latest`: it builds only the newest. Absent: `every` without
   * `passed`, `latest` with `passed`.
   */
  version?: 'every' | 'latest';
  /** Parameters of the get, if the type has a protocol. */
  protocolParams?: JsonObject;
}

export interface TaskStep extends Attempted, StepEnvironment {
  kind: 'task';
  name: string;
  run: Command;
  /** Paths in the working directory that must exist before the task runs. */
  inputs?: string[];
  /** Paths in the working directory that must exist after the task has run. */
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
  /** Replaces the message of the notification. */
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
  /** The maximum number of steps that run at a time. Absent: all at once. */
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
  /** The label of a block whose condition is an attribute. Only people read it. */
  name?: string;
  /**
   * The text of the condition. It is checked when the pipeline is read, and variables are filled into the
   * parsed condition, never into the text. Absent for `else`.
   */
  condition?: string;
  steps: Step[];
}

/** All action steps, including those inside parallel groups and branches, in the order of the file. */
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
    ...hooksOfParallelSteps(job.steps),
    ...actionsOfHooks(job.hooks),
  ];
}

function hooksOfParallelSteps(steps: readonly Step[]): HookAction[] {
  return steps.flatMap((step) => {
    if (step.kind === 'parallel') return actionsOfHooks(step.hooks);
    return step.kind === 'branch'
      ? step.branches.flatMap((branch) => hooksOfParallelSteps(branch.steps))
      : [];
  });
}

function actionsOfHooks({ onSuccess, onFailure, onCancel, ensure }: Hooks = {}): HookAction[] {
  return [onSuccess, onFailure, onCancel, ensure].flatMap((hook) => hook ?? []);
}
