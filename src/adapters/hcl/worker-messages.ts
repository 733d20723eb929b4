import type { Diagnostic } from '#domain/language/diagnostic.ts';
import type { ResolvedSources } from '#domain/pipeline/compile-context.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';

export interface WorkerData {
  /** hcl.wasm with a memory limit, compiled once for all threads of a process. */
  module: WebAssembly.Module;
  /** Shared memory with the range under evaluation: see `evaluated-range.ts`. */
  rangeMemory: SharedArrayBuffer;
}

export interface CompileRequest {
  source: string | Uint8Array;
  variables: GivenVariables;
  sources: ResolvedSources;
  /** Result of timestamp(). */
  time: string;
}

/** The thread serialises the compilation, so its size is known before another process has to hold it. */
export type CompileAnswer =
  | { kind: 'compiled'; compilation: Uint8Array }
  | { kind: 'too-long'; bytes: number };

/** A request to the compiler process. */
export interface HostRequest {
  request: CompileRequest;
  limits: EvaluationLimits;
}

export interface EvaluationLimits {
  /** In processor time: a text that takes longer is at fault. */
  cpuMs: number;
  /** In wall time: a text that takes longer may be valid, but blocks the texts that wait. */
  wallMs: number;
}

export type HostAnswer = CompileAnswer | { kind: 'failed'; failure: Diagnostic };
