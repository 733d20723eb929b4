import type { Shapes } from './draw-shapes.ts';
import type { Placed } from './read-plain.ts';

export type WorkerRequest = { kind: 'layout'; dot: string } | { kind: 'png'; shapes: Shapes };

export type WorkerAnswer = { kind: 'layout'; placed: Placed } | { kind: 'png'; png: Uint8Array };
