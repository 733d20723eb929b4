import { isNativeError } from 'node:util/types';
import { EXIT, Misuse, openTerminal, type ColourWhen, type Exit, type Terminal } from './terminal.ts';

type Verb = (terminal: Terminal) => Promise<Exit>;

/** Carries a verb out on the process' own terminal, and sets its exit code. */
export async function runVerb(colour: ColourWhen, verb: Verb): Promise<void> {
  process.exitCode = await runGuarded(verb, openTerminal(colour));
}

/** A fault of ours is told with its stack; a wrong use needs none. */
export async function runGuarded(verb: Verb, terminal: Terminal): Promise<Exit> {
  try {
    return await verb(terminal);
  } catch (error) {
    const fault = isNativeError(error) ? (error.stack ?? error.message) : String(error);
    terminal.err(`millrace: ${error instanceof Misuse ? error.message : fault}\n`);
    return EXIT.misuse;
  }
}
