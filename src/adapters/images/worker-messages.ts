import type { Shapes } from './draw-shapes.ts';

export interface WorkerData {
  /** A TrueType file with DejaVu Sans. */
  font: string;
}

/** `dot`: answered with Graphviz' `plain` text. */
export type WorkerRequest = { kind: 'layout'; dot: string } | { kind: 'png'; shapes: Shapes };

export type WorkerAnswer = { kind: 'layout'; plain: string } | { kind: 'png'; png: Uint8Array };
