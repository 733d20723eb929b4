/**
 * What one operation of a type or a task runs, a type's runner override already merged in. `docker` names the
 * image; the others run in the worker image. `custom` is a `runner_type` of the pipeline: `path` and `args`
 * are its templates, filled in at run.
 */
export type Command = StepEnvironment & Program;

/** Variables that a step or command sets beside those of Millrace; values may hold secrets. */
export interface StepEnvironment {
  env?: Record<string, string>;
}

type Program =
  | { runner: 'exec'; path: string; args: string[] }
  | { runner: 'shell'; cmd: string; shell?: string }
  | { runner: 'shell'; file: string; shell?: string }
  | { runner: 'docker'; image: string; cmd: string }
  /** The image's own entrypoint. */
  | { runner: 'docker'; image: string; entrypoint: true }
  | { runner: 'docker'; image: string; path: string; args: string[] }
  | CustomCommand;

export interface CustomCommand extends StepEnvironment {
  runner: 'custom';
  /** Label of the `runner_type`. */
  name: string;
  path: string;
  args: string[];
  /** Attributes of the caller's block: `$<name>` in the templates, and variables of the process. */
  attributes: Record<string, string>;
  /** The caller's `args`: they replace an element `$args`, unexpanded. */
  callerArgs: string[];
}
