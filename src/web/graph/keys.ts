import type { Direction } from './neighbours.ts';

/** What a key does in the graph. */
export type KeyAction =
  | { zoom: 1 | -1 }
  | { fit: true }
  | { pan: { x: number; y: number } }
  | { to: Direction };

interface Key {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

const ACTIONS: Record<string, KeyAction> = {
  '+': { zoom: 1 },
  '=': { zoom: 1 },
  '-': { zoom: -1 },
  _: { zoom: -1 },
  '0': { fit: true },
  ArrowLeft: { to: 'left' },
  ArrowRight: { to: 'right' },
  ArrowUp: { to: 'up' },
  ArrowDown: { to: 'down' },
};

/**
 * Arrow keys with Shift. As with a scroll bar, the view moves in the direction of the arrow, so the graph
 * moves in the opposite direction.
 */
const PANS: Record<string, KeyAction> = {
  ArrowLeft: { pan: { x: 1, y: 0 } },
  ArrowRight: { pan: { x: -1, y: 0 } },
  ArrowUp: { pan: { x: 0, y: 1 } },
  ArrowDown: { pan: { x: 0, y: -1 } },
};

/** Returns what a key does, or undefined for a key that the browser handles. */
export function actionOfKey({ key, shiftKey, ctrlKey, metaKey, altKey }: Key): KeyAction | undefined {
  if (ctrlKey || metaKey || altKey) return undefined;
  return (shiftKey ? PANS[key] : undefined) ?? ACTIONS[key];
}
