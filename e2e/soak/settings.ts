import { randomInt } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';

export interface Settings {
  seed: number;
  minutes: number;
  /** Leave the team, for looking at what went wrong. */
  keep: boolean;
  /** A file of evidence to judge, instead of a run. */
  again?: string;
}

const EXAMPLES = `
Runs on the embedded cluster with Millrace installed (make soak sees to both). Ends with a table and PASS or FAIL.

Examples:
  make soak                         20 minutes, a seed of chance, which is printed
  make soak MINUTES=5               a short run
  make soak SEED=4711 MINUTES=60    the same faults and the same load as another run with this seed
  KEEP=1 node e2e/soak/main.ts      leave the team as it is at the end
  node e2e/soak/main.ts --again /tmp/millrace-soak-…/evidence.json
`;

const whole =
  (name: string, least: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < least)
      throw new InvalidArgumentError(`${name} is a whole number, at least ${least}.`);
    return value;
  };

/**
 * What the command line and the environment ask for; `--help` and mistakes end the process with their text.
 */
export const readSettings = (argv: readonly string[], env: NodeJS.ProcessEnv): Settings => {
  const command = new Command('soak')
    .description('A long, seeded run of builds under faults, and a check that no promise was broken.')
    .addOption(new Option('--seed <number>', 'where chance begins').env('SEED').argParser(whole('SEED', 0)))
    .addOption(
      new Option('--minutes <number>', 'how long faults go on')
        .env('MINUTES')
        .default(20)
        .argParser(whole('MINUTES', 1)),
    )
    .option('--again <evidence.json>', 'judge the evidence of an earlier run; nothing is run')
    .addHelpText('after', EXAMPLES)
    .parse([...argv]);
  const { seed, ...given } = command.opts<{ seed?: number; minutes: number; again?: string }>();
  return { ...given, seed: seed ?? randomInt(1, 1_000_000), keep: (env['KEEP'] ?? '') !== '' };
};
