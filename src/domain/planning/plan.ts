/**
 * A job with its chosen versions as data: a list of steps, each one command in one container of the build's
 * Pod. The agent runs it without knowing the pipeline.
 */
export interface Plan {
  /** Increases when an older agent could misread the plan. */
  format: 1;
  build: BuildName;
  containers: PlanContainer[];
  /** Absolute path of the directory that all steps share: `$WORKDIR` and their working directory. */
  workdir: string;
  /** Wall-clock time of all steps, from the start of the first one. */
  timeoutSeconds: number;
  /** They run one after another. The first that fails ends the plan. */
  steps: PlanStep[];
  /** A line at the top of the build's log. */
  notice?: string;
  /** The agent masks these values in everything it sends. */
  secrets: string[];
  /** Bytes of log that the build may send. The rest is left out, and the log says so. Absent: 64 MiB. */
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

/** A container that steps run in. Steps with the same image share it. */
export interface PlanContainer {
  name: string;
  /** Absent: the worker image, which has the shim, git, jq, curl, ssh and bash. */
  image?: string;
}

export interface PlanStep {
  /** Stable within the plan: `0`, `1`, … in order. */
  id: string;
  kind: 'get' | 'task' | 'put';
  /** Displayed name: `git.app`, or the label of a task. */
  name: string;
  /** Absent: nothing to run (`get` of a type without `pull`), so the step succeeds at once. */
  command?: PlanCommand;
  env: Record<string, string>;
  /** `get`: the fields that later steps see as `GET_<NAME>_<KEY>`. */
  version?: Record<string, string>;
  /** Prefix of the variables for later steps: `GET_APP_`, `TASK_UNIT_`. Absent: it exports nothing. */
  exports?: string;
  /** `get` and `put`: canonical name of the resource. */
  resource?: string;
  /** `put`: the version if the push prints none. */
  params?: Record<string, string>;
}

export interface PlanCommand {
  container: string;
  argv: string[];
  /** Text of a file that the shim writes (mode 0700). It appends the path to `argv`. */
  script?: string;
  /** The shim first makes the last element of `argv` executable: a path relative to the working directory. */
  makeExecutable?: boolean;
}

/** One check of one resource. Its stdout is the result, its stderr the log. */
export interface CheckPlan {
  /** Row id of the check scope, decimal. */
  scope: string;
  resource: string;
  command: PlanCommand;
  env: Record<string, string>;
  timeoutSeconds: number;
}

/** The work of a check Pod: all due checks of its group, or hooks. */
export interface CheckRun {
  format: 1;
  /** Row id of the run, decimal. */
  run: string;
  containers: PlanContainer[];
  checks: CheckPlan[];
  /** It runs `on_trigger` hooks instead of checks. */
  hooks?: HooksPlan;
  secrets: string[];
}

/** The hooks that run for new versions of one resource. */
export interface HooksPlan {
  /** Working directory. No variable names it. */
  workdir: string;
  /** Time for all hooks, from when the agent receives this. */
  seconds: number;
  /** Version by version, oldest first. */
  plans: HookPlan[];
  /** Hooks beyond the limit, which do not run. */
  leftOut: number;
}

export interface HookPlan {
  /** Row id of the version, decimal. */
  version: string;
  job: string;
  /** Displayed name: its runner, or `slack.ops`. */
  hook: string;
  command: PlanCommand;
  env: Record<string, string>;
  /** Template of `$NOTIFY_MESSAGE`. */
  message?: string;
}
