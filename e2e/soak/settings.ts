import { randomInt } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';

export interface Settings {
  seed: number;
  minutes: number;
  /** Keeps the team after the run, for an investigation. */
  keep: boolean;
  /** A file of evidence to judge instead of a new run. */
  again?: string;
}

const EXAMPLES = `
Needs the embedded cluster with Millrace installed; make soak prepares both. Ends with a table and PASS or FAIL.

Examples:
  make soak                         20 minutes with a random seed, which is printed
  make soak MINUTES=5               a short run
  make soak SEED=4711 MINUTES=60    the same faults and the same load as another run with this seed
  KEEP=1 node e2e/soak/main.ts      leave the team as it is at the end
  node e2e/soak/main.ts --again /tmp/millrace-soak-…/evidence.json
`;

const wholeNumber =
  (name: string, min: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < min)
      throw new InvalidArgumentError(`${name} is a whole number, at least ${min}.`);
    return value;
  };

/**
 * Reads settings from the command line and the environment. `--help` and usage errors print a text and end
 * the process.
 */
export const readSettings = (argv: readonly string[], env: NodeJS.ProcessEnv): Settings => {
  const command = new Command('soak')
    .description(
      'Runs builds under seeded random faults for a long time and checks that no invariant is violated.',
    )
    .addOption(
      new Option('--seed <number>', 'the seed of all random choices')
        .env('SEED')
        .argParser(wholeNumber('SEED', 0)),
    )
    .addOption(
      new Option('--minutes <number>', 'how long faults go on')
        .env('MINUTES')
        .default(20)
        .argParser(wholeNumber('MINUTES', 1)),
    )
    .option('--again <evidence.json>', 'judge the evidence of an earlier run; nothing is run')
    .addHelpText('after', EXAMPLES)
    .parse([...argv]);
  const { seed, ...given } = command.opts<{ seed?: number; minutes: number; again?: string }>();
  return { ...given, seed: seed ?? randomInt(1, 1_000_000), keep: (env['KEEP'] ?? '') !== '' };
};
