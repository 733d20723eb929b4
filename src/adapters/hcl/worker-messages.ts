import type { Compilation } from '#domain/pipeline/compile.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';

export interface WorkerData {
  /** The file hcl.wasm. */
  engine: string;
  memoryLimitMb: number;
}

export interface WorkerRequest {
  source: string | Uint8Array;
  variables: GivenVariables;
}

export type WorkerAnswer = { kind: 'ready' } | { kind: 'compiled'; compilation: Compilation };
