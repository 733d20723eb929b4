import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from '@jest/globals';

/** The content of a golden file. `jest -u` writes `result` into it; then read the difference. */
export function golden(file: string, result: string): string {
  const state: object & { snapshotState?: unknown } = expect.getState();
  const isUpdating = JSON.stringify(state.snapshotState).includes('"_updateSnapshot":"all"');
  if (isUpdating) writeFileSync(file, result);
  return readFileSync(file, 'utf8');
}
