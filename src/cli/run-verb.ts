import { isNativeError } from 'node:util/types';
import { whyNodeIsTooOld } from './node-version.ts';
import { CommandError, EXIT, openTerminal, type ColourWhen, type Terminal } from './terminal.ts';

type Verb = (terminal: Terminal) => Promise<number>;

/** Runs a verb on the terminal of the process and sets its exit code. */
export async function runVerb(colour: ColourWhen, verb: Verb): Promise<void> {
  const tooOld = whyNodeIsTooOld(process.versions.node);
  const run = tooOld === undefined ? verb : () => Promise.reject(new CommandError(tooOld));
  process.exitCode = await runGuarded(run, openTerminal(colour));
}

/** Prints a command error as its message alone, and any other error with its stack. */
export async function runGuarded(verb: Verb, terminal: Terminal): Promise<number> {
  try {
    return await verb(terminal);
  } catch (error) {
    const fault = isNativeError(error) ? (error.stack ?? error.message) : String(error);
    terminal.err(`millrace: ${error instanceof CommandError ? error.message : fault}\n`);
    return EXIT.error;
  }
}
