/**
 * What a task or an operation of a type runs; the runner override of the type is already merged in. `docker`
 * runs in the image that it names, all others in the worker image. `custom` is a `runner_type` of the
 * pipeline: `path` and `args` are its templates, which are filled in when the command runs.
 */
export type Command = StepEnvironment & Program;

/**
 * Variables that a step or command sets in addition to those of Millrace. Their values may contain secrets.
 */
export interface StepEnvironment {
  env?: Record<string, string>;
}

type Program =
  | { runner: 'exec'; path: string; args: string[] }
  | { runner: 'shell'; cmd: string; shell?: string }
  | { runner: 'shell'; file: string; shell?: string }
  | { runner: 'docker'; image: string; cmd: string }
  /** Runs the entrypoint of the image. */
  | { runner: 'docker'; image: string; entrypoint: true }
  | { runner: 'docker'; image: string; path: string; args: string[] }
  | CustomCommand;

export interface CustomCommand extends StepEnvironment {
  runner: 'custom';
  /** Label of the `runner_type`. */
  name: string;
  path: string;
  args: string[];
  /**
   * Attributes of the calling block. Templates refer to them as `$<name>`, and the process gets them as
   * variables.
   */
  attributes: Record<string, string>;
  /** The `args` of the calling block. They replace the element `$args` unchanged, without expansion. */
  callerArgs: string[];
}
