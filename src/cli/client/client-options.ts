import { InvalidArgumentError, Option, type Command } from 'commander';
import { colourOption } from '#cli/command-options.ts';
import { defined } from '#defined';

/** Adds the options that choose a server, the certificates to trust, and the colours. */
export const addServerOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--url <url>',
        'the server (default: MILLRACE_URL, otherwise the server of the current context)',
      ).conflicts('context'),
    )
    .addOption(contextOption())
    .option('--ca-file <file>', 'PEM file with further certificates to trust, besides those of the machine')
    .addOption(colourOption());

/** The option that chooses a context by its name. */
export const contextOption = (): Option =>
  new Option('--context <name>', 'the context, from millrace contexts list (default: the current one)');

export const teamOption = (): Option =>
  new Option('-t, --team <team>', 'the team').default('main', 'the team of the context, otherwise main');

export const noBrowserOption = (): Option =>
  new Option('--no-browser', 'do not open a browser: print an address to open in any browser, and a code');

/** `PIPELINE/JOB`. */
export const parseJobName = (text: string): { pipeline: string; job: string } => {
  const [pipeline = '', job = '', ...more] = text.split('/');
  if (pipeline === '' || job === '' || more.length > 0)
    throw new InvalidArgumentError('Write <pipeline>/<job>.');
  return { pipeline, job };
};

/** `PIPELINE` or `PIPELINE/JOB`. */
export const parsePipelineOrJob = (text: string): { pipeline: string; job?: string } =>
  text.includes('/') ? parseJobName(text) : { pipeline: text };

/** `PIPELINE/RESOURCE`. */
export const parseResourceName = (text: string): { pipeline: string; resource: string } => {
  const [pipeline = '', resource = '', ...more] = text.split('/');
  if (pipeline === '' || resource === '' || more.length > 0)
    throw new InvalidArgumentError('Write <pipeline>/<resource>, such as app/git.app.');
  return { pipeline, resource };
};

/** `PIPELINE/JOB/BUILD` or `PIPELINE/JOB#BUILD`; without the build, the newest. */
export const parseBuildName = (text: string): { pipeline: string; job: string; build?: string } => {
  const [pipeline = '', job = '', build, ...more] = text.replace('#', '/').split('/');
  if (pipeline === '' || job === '' || build === '' || more.length > 0)
    throw new InvalidArgumentError(
      'Write <pipeline>/<job>/<build>, or <pipeline>/<job> for the newest build.',
    );
  return { pipeline, job, ...defined({ build }) };
};

/** Commands that change a build need its number: the newest build may not be the one that the user saw. */
export const parseNumberedBuild = (text: string): { pipeline: string; job: string; build: string } => {
  const { build, ...job } = parseBuildName(text);
  if (build === undefined)
    throw new InvalidArgumentError('Write <pipeline>/<job>/<build>, such as app/unit/7.');
  return { ...job, build };
};

/** The id of a version. */
export const parseId = (text: string): number => {
  const id = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id))
    throw new InvalidArgumentError('Write the id as a whole number of 1 or more; the list shows it.');
  return id;
};

export const parsePositive = (text: string): number => {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('Write a whole number of 1 or more.');
  return Number(text);
};

export const EXIT_CODES_HELP =
  '\nExit codes: 0: success; 2: usage error, or the server refused the request or is unreachable.';

/** The exit codes of a command that exits with 1 for the reason `failure`. */
export const exitCodesHelp = (failure: string): string =>
  `\nExit codes: 0: success; 1: ${failure}; 2: usage error, or the server refused the request\nor is unreachable.`;
