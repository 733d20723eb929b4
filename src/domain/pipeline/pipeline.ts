/**
 * A valid pipeline, every expression evaluated: what a revision stores. It is plain JSON, lists keep the order of the file, and
 * strings may hold secret placeholders (see `secret-placeholder.ts`) that only the internal gateway resolves.
 */
export interface Pipeline {
  /** Every type that a resource of the pipeline uses, built-in ones included, so that a revision stands on its own. */
  resourceTypes: ResourceType[];
  resources: Resource[];
  jobs: Job[];
}

export interface ResourceType {
  name: string;
  /**
   * The definition came with Millrace. One without `check` is cron, under whatever name: the operator itself answers its checks, and
   * its gets need no command.
   */
  builtIn: boolean;
  /** Names of the parameters that a resource of the type may set. */
  params: string[];
  cache: boolean;
  check?: Command;
  pull?: Command;
  push?: Command;
}

/** What one operation of a type or a task runs. `docker` names the image; the other two run in the worker image. */
export type Command =
  | { runner: 'exec'; path: string; args: string[] }
  | { runner: 'shell'; cmd: string; shell?: string }
  | { runner: 'shell'; file: string; shell?: string }
  | { runner: 'docker'; image: string; cmd: string };

export interface Resource {
  /** `<type>.<label>`, unique in the pipeline. */
  name: string;
  type: string;
  label: string;
  params: Record<string, string>;
  /** Absent: checked only on request, by webhook, or never when only `put` makes its versions. */
  schedule?: Schedule;
  tags: string[];
  cache: boolean;
}

export type Schedule = { kind: 'every'; seconds: number } | { kind: 'cron'; expression: string };

export interface Job {
  name: string;
  steps: Step[];
}

export type Step = GetStep | TaskStep | PutStep;

export interface GetStep {
  kind: 'get';
  /** Second label: names the step and the `GET_<NAME>_<KEY>` variables. */
  name: string;
  resource: string;
  trigger: boolean;
  /** Jobs whose good builds must have used the same version; empty: any version will do. */
  passed: string[];
}

export interface TaskStep {
  kind: 'task';
  name: string;
  run: Command;
}

export interface PutStep {
  kind: 'put';
  name: string;
  resource: string;
  params: Record<string, string>;
}
