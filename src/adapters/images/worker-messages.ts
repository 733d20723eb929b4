import type { Shapes } from './draw-shapes.ts';
import type { GraphvizLayout } from './read-plain.ts';

export type DrawingRequest = { kind: 'layout'; dot: string } | { kind: 'png'; shapes: Shapes };

export type DrawingReply = { kind: 'layout'; placed: GraphvizLayout } | { kind: 'png'; png: Uint8Array };
