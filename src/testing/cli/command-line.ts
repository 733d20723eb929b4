import { Command } from 'commander';
import { createCompiler, type HclCompiler } from '#adapters/hcl/compile.ts';
import { clientCommands } from '#cli/client/commands.ts';
import { useTeamOfContext } from '#cli/client/default-team.ts';
import type { Run } from '#cli/command-options.ts';
import { offlineCommands } from '#cli/commands.ts';
import { engineFile } from '#cli/find-engine.ts';
import { localCommands } from '#cli/local/commands.ts';
import { runGuarded } from '#cli/run-verb.ts';
import type { Terminal } from '#cli/terminal.ts';

export interface CommandResult {
  exit: number;
  out: string;
  err: string;
  bytes: Uint8Array;
}

/**
 * One engine for all commands of a test file, because starting an engine takes longer than running a command.
 * The engine ends with the process.
 */
let sharedCompiler: HclCompiler | undefined;
function openSharedCompiler(): HclCompiler {
  const compiler = (sharedCompiler ??= createCompiler({ engine: engineFile(), timeLimitMs: 60_000 }));
  return {
    compile: async (...request) => await compiler.compile(...request),
    close: async () => undefined,
  };
}

/**
 * Runs a command line in this process. Its first word is the name of the program. If the line is a single
 * text, single spaces separate its words.
 */
export async function millrace(
  line: string | readonly string[],
  options: Partial<Terminal> & { input?: string } = {},
): Promise<CommandResult> {
  const out: Uint8Array[] = [];
  const ran = { exit: -1, err: '' };
  const terminal: Terminal = {
    out: (text) => void out.push(Buffer.from(text)),
    err: (text) => void (ran.err += text),
    stdin: async function* () {
      yield Buffer.from(options.input ?? '');
    },
    isScreen: false,
    colour: false,
    openCompiler: openSharedCompiler,
    ...options,
  };
  const program = new Command('millrace');
  const run: Run = async (_colour, verb) => {
    ran.exit = await runGuarded(verb, terminal);
  };
  for (const command of [...offlineCommands(run), ...localCommands(run), ...clientCommands(run)])
    program.addCommand(command);
  useTeamOfContext(program, terminal);
  const words = typeof line === 'string' ? line.split(' ') : line;
  await program.parseAsync(words.slice(1), { from: 'user' });
  const bytes = Buffer.concat(out);
  return { ...ran, bytes, out: bytes.toString() };
}
