import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from '@jest/globals';

/**
 * The text of a file that a test holds its result to. `jest -u` writes the file anew; then read the
 * difference.
 */
export function golden(file: string, result: string): string {
  const state: object & { snapshotState?: unknown } = expect.getState();
  const isUpdating = JSON.stringify(state.snapshotState).includes('"_updateSnapshot":"all"');
  if (isUpdating) writeFileSync(file, result);
  return readFileSync(file, 'utf8');
}
