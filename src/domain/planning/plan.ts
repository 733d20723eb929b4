import type { Condition } from '#domain/language/condition.ts';
import type { NotificationEvent } from '#domain/pipeline/pipeline.ts';

/**
 * A job with its chosen versions as data: a tree of steps, each one command in one container of the build's
 * Pod. The agent runs it without knowing the pipeline.
 */
export interface Plan {
  /** Increases when an older agent could misread the plan. */
  format: 3;
  build: BuildName;
  containers: PlanContainer[];
  /** Absolute path of the directory that all steps share: `$WORKDIR` and their working directory. */
  workdir: string;
  /** Wall-clock time of all steps, from the start of the first one. Hooks have their own time. */
  timeoutSeconds: number;
  /** Services of the job. They start before the first step, and stop after the job's hooks. */
  services: PlanService[];
  /** The nodes run one after another, until one fails that is not a `notify` step. */
  steps: PlanNode[];
  /** Hooks of the job. */
  hooks?: PlanHooks;
  /** Sent after the job's hooks. */
  notifications: PlanNotification[];
  /** For notifications `on` `changed`. Absent: no build of the job has succeeded or failed before. */
  previousOutcome?: PreviousOutcome;
  /**
   * Variables that conditions see in addition to those of earlier steps: `WORKDIR`, `BUILD_*` and `INPUT_*`.
   */
  variables: Record<string, string>;
  /** Names of variables that hold lists joined by commas: `contains` looks for a member in them. */
  listVariables?: string[];
  /** The agent fetches identity tokens for the commands that get them (`IdentityTokensRequest`). */
  identity?: true;
  /** A line at the top of the build's log. */
  notice?: string;
  /**
   * Bytes of log that the build may send. Log beyond this limit is left out, and the log says so. Absent: 64
   * MiB.
   */
  logLimitBytes?: number;
}

export interface BuildName {
  /** Row id of the build, decimal. */
  id: string;
  team: string;
  pipeline: string;
  job: string;
  number: string;
  attempt: number;
}

/** A container of the Pod, other than that of the agent. */
export interface PlanContainer {
  name: string;
  /** Absent: the worker image, which has the shim, git, jq, curl, ssh and bash. */
  image?: string;
  /**
   * Copies of one container, in which steps run in parallel, have the same pool: the name of the first copy.
   * Absent: the container has no copies.
   */
  pool?: string;
  /** Name of the service that the container belongs to. No step runs in the container. */
  service?: string;
  /** Only gets of secret types run in the container: no step sees its files, and it has no work directory. */
  forSecrets?: true;
  /** Nothing that runs in the container needs a shell, so its image may have none. */
  withoutShell?: boolean;
  /** The image's own entrypoint runs in the container. The gateway looks the entrypoint up. */
  runsEntrypoint?: boolean;
  /**
   * Only operations of this resource run in the container. Containers of other resources and steps do not
   * mount the volume.
   */
  volume?: VolumePath;
  /**
   * Only operations of this resource run in the container, because programs of its type keep files in `/tmp`
   * and in their home directory.
   */
  resource?: string;
}

/** Where the operations of a resource need a volume of the Team. */
export interface VolumePath {
  resource: string;
  /** Absolute. */
  path: string;
  /** A put is among the operations. */
  writes: boolean;
}

export type PlanNode = PlanStep | PlanGroup | PlanBranches;

/** How often and how long a step or group may run, and what runs after its last attempt. */
interface PlanAttempts {
  /** Limit of one attempt. */
  timeoutSeconds?: number;
  /** Absent: 1. */
  attempts?: number;
  hooks?: PlanHooks;
}

/** Hooks run in order, each with its own time limit. A hook has no hooks. */
export interface PlanHooks {
  onSuccess?: PlanStep[];
  onFailure?: PlanStep[];
  onCancel?: PlanStep[];
  ensure?: PlanStep[];
}

export interface PlanStep extends PlanAttempts {
  /** Unique and stable within the plan: `0`, `2.1`, `0.on_failure.0`. */
  id: string;
  kind: ActionKind;
  /** Displayed name: `git.app`, `slack.ops`, the label of a task, or the runner of a hook's command. */
  name: string;
  /** The step names secrets. When it starts, the agent fetches it from the gateway with their values. */
  needsSecrets?: true;
  /** Why the step fails without running: a secret that it names has no value. */
  refusal?: string;
  /** Absent: nothing to run (such as a `get` of a type without `pull`), so the step succeeds at once. */
  command?: PlanCommand;
  /** The command is a program of a type with a protocol. */
  call?: ProtocolCall;
  env: Record<string, string>;
  /** `get`: the fields that later steps see as `GET_<NAME>_<KEY>`. */
  version?: Record<string, string>;
  /** Prefix of the variables for later steps: `GET_APP_`, `TASK_UNIT_`. Absent: the step exports nothing. */
  exports?: string;
  /** `get` and `put`: canonical name of the resource. */
  resource?: string;
  /** `put`: params of the step. They are the version if the push prints none. */
  params?: Record<string, string>;
  /** `task`: paths that must exist before the task runs, relative to the working directory. */
  inputs?: string[];
  /** `task`: paths that must exist after the task succeeded. */
  outputs?: string[];
  /** `task`: the cache of the job that the task restores or saves: `<job>:<cache>`. */
  cache?: string;
  /** `notify`: template of `$NOTIFY_MESSAGE`. */
  message?: string;
}

/** `command`: a hook that is a command, not a step. */
export type ActionKind = 'get' | 'task' | 'put' | 'notify' | 'command';

/** Steps that run in parallel. */
export interface PlanGroup extends PlanAttempts {
  id: string;
  kind: 'parallel';
  /** How many run at a time. Absent: all. */
  limit?: number;
  failFast: boolean;
  steps: PlanStep[];
}

/** An `if` with its `else_if` and `else`: the first branch whose condition holds runs. */
export interface PlanBranches {
  id: string;
  kind: 'branches';
  branches: PlanBranch[];
}

export interface PlanBranch {
  id: string;
  /** Displayed name: its label, or its condition, or `else`. */
  name: string;
  /** Absent: the condition always holds. */
  condition?: Condition;
  /** Services of the branch. They start when the branch begins. */
  services: PlanService[];
  steps: PlanNode[];
}

export interface PlanService {
  /**
   * Commands of the service name secrets. When the service starts, the agent fetches all of them from the
   * gateway.
   */
  needsSecrets?: true;
  /** Why the service fails without starting: a secret that it names has no value. */
  refusal?: string;
  /**
   * Prefix of the ids of its phases: `service.0` has `service.0.start`, `service.0.ready`, `service.0.stop`.
   */
  id: string;
  /** Label of its type. The second service of a type has the suffix `-2`. */
  name: string;
  /** Time limit from start to readiness. Absent: only the phases have limits. */
  timeoutSeconds?: number;
  /**
   * `staysInForeground`: the command is the service. Otherwise it must end with 0, and the processes that it
   * started stay.
   */
  start?: ServiceCommand & { staysInForeground: boolean };
  ready?: ServiceCommand & { intervalSeconds: number; timeoutSeconds: number };
  stop?: ServiceCommand;
}

export interface ServiceCommand {
  command: PlanCommand;
  env: Record<string, string>;
}

/**
 * How the newest earlier build of the job ended, apart from cancelled builds. A warning counts as a failure.
 */
export type PreviousOutcome = 'succeeded' | 'failed';

/** A notification that is sent automatically at the events `on`. */
export interface PlanNotification {
  on: NotificationEvent[];
  step: PlanStep;
}

export interface PlanCommand {
  /** Name of a container or of a pool of them. */
  container: string;
  /** Empty until the gateway has filled in the entrypoint of the container's image. */
  argv: string[];
  /** Text of a file that the shim writes (mode 0700). The shim appends the path of the file to `argv`. */
  script?: string;
  /** The shim first makes the last element of `argv` executable: a path relative to the working directory. */
  makeExecutable?: boolean;
  /** Positions in `argv` before which the agent inserts `-e NAME=VALUE` for the variables of the step. */
  environmentAt?: number[];
}

/**
 * How a program of a type with a protocol is called. The program reads the input, and its stdout is the
 * result. Its environment is only `env` of the operation: no exports of other steps, no identity tokens.
 */
export interface ProtocolCall {
  /** JSON, as a text so that nothing in it looks like a part of a plan. */
  input: string;
  /** Path of a directory that is emptied before the program runs. */
  folder?: string;
}

/** One check of one resource. Its stdout is the result, its stderr the log. */
export interface CheckPlan {
  /** The check names secrets. When it starts, the agent fetches it from the gateway with their values. */
  needsSecrets?: true;
  /** Why the check fails without running: a secret that it names has no value. */
  refusal?: string;
  /** Row id of the check scope, decimal. */
  scope: string;
  resource: string;
  command: PlanCommand;
  /** The command is a program of a type with a protocol. */
  call?: ProtocolCall;
  /** Working directory. Absent: a new one, which is removed afterwards. */
  workdir?: string;
  env: Record<string, string>;
  timeoutSeconds: number;
}

/** The work of a check Pod: the checks that its run has claimed, or hooks. */
export interface CheckRun {
  format: 2;
  /** Row id of the run, decimal. */
  run: string;
  containers: PlanContainer[];
  checks: CheckPlan[];
  /** `on_trigger` hooks, or notifications of builds, that the Pod runs instead of checks. */
  hooks?: HooksPlan;
}

/** The hooks that run for new versions of one resource, or the notifications of builds that have no Pod. */
export interface HooksPlan {
  /** Working directory. No variable names it. */
  workdir: string;
  /** Time limit for all hooks, from when the agent receives the plan. */
  seconds: number;
  /** Version by version, oldest first. Notifications: build by build. */
  plans: HookPlan[];
  /** Hooks beyond the limit, which do not run. */
  leftOut: number;
}

export interface HookPlan {
  /** Unique within the run. */
  id: string;
  /** The hook names secrets. When it starts, the agent fetches it from the gateway with their values. */
  needsSecrets?: true;
  /** Why the hook fails without running: a secret that it names has no value. */
  refusal?: string;
  /** Decimal row id of the version. For a notification: row id of the record that says that it is due. */
  version: string;
  job: string;
  /** Displayed name: the runner of a command, or the name of a notification such as `slack.ops`. */
  hook: string;
  command: PlanCommand;
  env: Record<string, string>;
  /** Template of `$NOTIFY_MESSAGE`. */
  message?: string;
}
