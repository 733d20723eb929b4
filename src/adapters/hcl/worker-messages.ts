import type { Diagnostic } from '#domain/language/diagnostic.ts';
import type { ResolvedSources } from '#domain/pipeline/compile-context.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';

export interface WorkerData {
  /** hcl.wasm with a memory limit, compiled once for all threads of a process. */
  module: WebAssembly.Module;
  /** Shared memory for the range of the evaluated expression (see `evaluated-range.ts`). */
  rangeMemory: SharedArrayBuffer;
}

export interface CompileRequest {
  source: string | Uint8Array;
  variables: GivenVariables;
  sources: ResolvedSources;
  /** Result of timestamp(). */
  time: string;
}

/**
 * The compilation is serialised by the thread, so that its size is known before it is sent to another
 * process.
 */
export type CompileAnswer =
  | { kind: 'compiled'; compilation: Uint8Array }
  | { kind: 'too-long'; bytes: number };

/** A request to the compiler process. */
export interface HostRequest {
  request: CompileRequest;
  limits: EvaluationLimits;
}

export interface EvaluationLimits {
  /** Processor time. A text that takes longer is at fault. */
  cpuMs: number;
  /** Wall time. A text that takes longer may be valid, but blocks the texts that wait for the process. */
  wallMs: number;
}

export type HostAnswer = CompileAnswer | { kind: 'failed'; failure: Diagnostic };
