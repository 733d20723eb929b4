import { findEngine } from '#adapters/hcl/locate.ts';
import { CommandError } from './terminal.ts';

/**
 * The path of the HCL engine, a WebAssembly module. Throws if it is missing: in a checkout, you build it
 * first.
 */
export function engineFile(): string {
  try {
    return findEngine();
  } catch (error) {
    throw new CommandError(Error.isError(error) ? error.message : String(error), { cause: error });
  }
}
