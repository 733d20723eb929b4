import { stringsAt } from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { EnvironmentVariable, LocatedString } from '#domain/language/read-attribute.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { rowOfVariable } from './environment-table.ts';

/** What the flags of a docker command mean. */
export interface DockerArgs {
  variables: EnvironmentVariable[];
  /** Replaces the entrypoint of the image. */
  entrypoint?: string;
}

/**
 * Reads the `docker run` flags that have the same meaning in a Pod: variables, the network `host` (steps
 * share the network of their Pod anyway), and the entrypoint if no script runs. Refuses all others, because
 * the command would run differently without them.
 */
export function readDockerArgs(
  block: ReadBlock,
  report: Report,
  { runsImage = false }: { runsImage?: boolean } = {},
): DockerArgs {
  const result: DockerArgs = { variables: [] };
  for (const flag of flagsIn(stringsAt(block, 'args'))) {
    if (ENVIRONMENT.includes(flag.name)) result.variables.push(...readVariable(flag, report));
    else if (runsImage && flag.name === ENTRYPOINT) Object.assign(result, readEntrypoint(flag, report));
    else if (!NETWORK.includes(flag.name) || flag.value !== 'host') report(explainRefusal(flag));
  }
  return result;
}

const ENVIRONMENT = ['-e', '--env'];
const NETWORK = ['--network', '--net'];
const ENTRYPOINT = '--entrypoint';

/** Refuses an empty entrypoint, which Docker treats as none. */
function readEntrypoint({ value = '', range }: Flag, report: Report): Pick<DockerArgs, 'entrypoint'> {
  if (value !== '') return { entrypoint: value };
  const message = 'the flag --entrypoint needs the name of a program';
  report(diagnose('docker-args', range, message, 'Write "--entrypoint", "/path/of/program".'));
  return {};
}

interface Flag {
  name: string;
  value?: string;
  range: LocatedString['range'];
}

/**
 * The argument after a flag is the value of the flag, unless the flag already has a value (`--name=value`) or
 * the argument is a flag itself.
 */
function flagsIn(args: readonly LocatedString[]): Flag[] {
  const flags: Flag[] = [];
  for (const { text, range } of args) {
    const last = flags.at(-1);
    if (last && last.value === undefined && !text.startsWith('-')) last.value = text;
    else flags.push({ ...splitFlag(text), range });
  }
  return flags;
}

/** `--name=value`, `-eNAME=value`, or the flag alone. */
function splitFlag(text: string): { name: string; value?: string } {
  const short = /^-e=?(?=.)/s.exec(text);
  if (short) return { name: '-e', value: text.slice(short[0].length) };
  const equals = text.indexOf('=');
  if (!text.startsWith('-') || equals < 0) return { name: text };
  return { name: text.slice(0, equals), value: text.slice(equals + 1) };
}

/**
 * Whether Millrace sets the variable itself. `-e NAME` passes on a variable of the calling process, so the
 * flag has nothing to do then.
 */
const isSetAnyway = (name: string): boolean => /^\w+$/.test(name) && rowOfVariable(name) !== undefined;

function readVariable({ name, value = '', range }: Flag, report: Report): EnvironmentVariable[] {
  const equals = value.indexOf('=');
  if (equals > 0) return [{ name: value.slice(0, equals), text: value.slice(equals + 1), range }];
  if (isSetAnyway(value)) return [];
  const message = `the flag ${name} needs a name and a value, not ${JSON.stringify(value)}`;
  report(diagnose('docker-args', range, message, 'Write "-e", "NAME=value", or env = { NAME = "value" }.'));
  return [];
}

/** Help for refused flags. */
const INSTEAD: readonly [flags: readonly string[], help: string][] = [
  [
    NETWORK,
    'Steps share the network of their Pod, which is --network=host; there is no other. Leave it out.',
  ],
  [
    ['-v', '--volume', '--mount', '--tmpfs', '--volumes-from'],
    'Nothing of the machine can be mounted. The files of the build are in $WORKDIR, in every image.',
  ],
  [['--env-file'], 'Write the variables in env = { NAME = "value" }.'],
  [['-w', '--workdir'], 'Every command starts in $WORKDIR. Begin cmd with cd.'],
  [['-u', '--user'], 'Every command runs as the user of the image. Choose another image.'],
  [[ENTRYPOINT], 'cmd runs with /bin/sh -ec, whatever the entrypoint of the image. Leave out one of them.'],
  [
    ['--privileged', '--cap-add', '--device', '--security-opt', '--pid', '--ipc', '--uts'],
    'No step has rights over the machine that it runs on. Do without it.',
  ],
  [
    ['-m', '--memory', '--cpus', '-c', '--cpu-shares', '--gpus', '--platform'],
    'Choose workers by the tags of the job. Team.spec.workers sets the resources for each tag.',
  ],
  [
    ['-p', '--publish', '--expose'],
    'Steps and services of a build reach each other at 127.0.0.1. Leave it out.',
  ],
  [
    [
      '--rm',
      '-i',
      '-t',
      '-it',
      '-ti',
      '-d',
      '--detach',
      '--interactive',
      '--tty',
      '--init',
      '--name',
      '--pull',
    ],
    'It means nothing in a Pod: leave it out.',
  ],
];

function explainRefusal({ name, range }: Flag): ReturnType<typeof diagnose> {
  const [, help] = INSTEAD.find(([flags]) => flags.includes(name)) ?? [];
  const flag = name.startsWith('-')
    ? `the flag ${name} of docker`
    : `${JSON.stringify(name)} in args of docker`;
  return diagnose('docker-args', range, `${flag} has no meaning here: no docker command is run`, help);
}
