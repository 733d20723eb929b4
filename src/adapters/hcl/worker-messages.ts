import type { Diagnostic } from '#domain/language/diagnostic.ts';
import type { ResolvedSources } from '#domain/pipeline/compile-context.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';

export interface WorkerData {
  /** hcl.wasm with its memory limited; compiled once for all threads of a process. */
  module: WebAssembly.Module;
  /** Where in the text the thread is at work, for whoever has to end it: see `work-place.ts`. */
  place: SharedArrayBuffer;
}

export interface WorkerRequest {
  source: string | Uint8Array;
  variables: GivenVariables;
  sources: ResolvedSources;
  /** What timestamp() answers. */
  time: string;
}

/**
 * A compilation is serialised by the thread itself, which so knows how long it is before anybody else has to
 * hold it.
 */
export type WorkerAnswer =
  { kind: 'compiled'; compilation: Uint8Array } | { kind: 'too-long'; bytes: number };

/** What a process is asked. */
export interface HostRequest {
  request: WorkerRequest;
  timeLimitMs: number;
}

export type HostAnswer = WorkerAnswer | { kind: 'failed'; failure: Diagnostic };
