import { findEngine } from '#adapters/hcl/locate.ts';
import { CommandError } from './terminal.ts';

/** The engine's file. In a checkout it must be built first. */
export function engineFile(): string {
  try {
    return findEngine();
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
