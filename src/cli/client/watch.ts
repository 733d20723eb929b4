import { setTimeout as sleep } from 'node:timers/promises';
import { durationOf, isDataForm, printResult, statusCell, type OutputOptions } from '#cli/output.ts';
import { CommandError, EXIT, painter, type Exit, type Terminal } from '#cli/terminal.ts';
import { stepTitle } from '#domain/build/step-title.ts';
import { replaceInvisible } from '#domain/graph/measure-label.ts';
import { requestPath, type Api } from './api.ts';
import { connect } from './connect.ts';
import { readGivenInputs } from './read-assignments.ts';
import type { BuildDetailJson, BuildJson, ChunkJson, JobJson } from './response-types.ts';
import { ScreenText } from './screen-text.ts';
import { streamBuild, type BuildListener } from './stream-build.ts';
import type { TeamCommandContext, TeamOptions } from './team-options.ts';

export interface JobArgument {
  pipeline: string;
  job: string;
}

type WatchContext = TeamCommandContext<Pick<TeamOptions, 'team'>>;

/** Follows a build, or the newest one of a job, to its end. The log goes to standard output. */
export async function watch(
  name: JobArgument & { build?: string },
  options: WatchOptions,
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const number = name.build ?? (await findNewest({ api, options, terminal }, name));
  return await followBuildToEnd({ api, options, terminal }, name, number);
}

type WatchOptions = Omit<TeamOptions, 'output'> & { wait?: boolean };

const POLL_MS = 1000;

/** The number of the newest build; `undefined` if the job has none yet. */
export const newestBuildNumber = async (
  api: Api,
  team: string,
  name: JobArgument,
): Promise<string | undefined> => (await api.get<JobJson>(jobPath(team, name))).latest_build_number;

/** The number of the newest build of a job. If the job has none, --wait polls until it has one. */
async function findNewest(
  { api, options, terminal }: TeamCommandContext<WatchOptions>,
  name: JobArgument,
): Promise<string> {
  const newest = async () => await newestBuildNumber(api, options.team, name);
  const { pause = async (milliseconds: number) => await sleep(milliseconds) } = terminal;
  const number = await newest();
  if (number !== undefined) return number;
  if (options.wait !== true)
    throw new CommandError(
      `${titleOf(name)} has no build yet: add --wait, or start a build with ${triggerHint(name)}`,
    );
  terminal.err(`${titleOf(name)} has no build yet. Waiting for the first one; press Ctrl-C to stop.\n`);
  for (;;) {
    await pause(POLL_MS);
    const first = await newest();
    if (first !== undefined) return first;
  }
}

interface TriggerJson {
  job: string;
  number: string;
  url: string;
  checks?: { resource: string; result: string; message?: string }[];
}

export interface TriggerOptions extends TeamOptions {
  watch?: boolean;
  check?: boolean;
  /** `<name>=<value>` */
  input?: string[];
}

/** Triggers a build with the newest versions that fit. Checks for versions first, unless --no-check. */
export async function trigger(name: JobArgument, options: TriggerOptions, terminal: Terminal): Promise<Exit> {
  refuseDataForm(options);
  const body = options.input && { inputs: readGivenInputs(options.input) };
  const api = await connect(options, terminal);
  const query = options.check === false ? '' : '?check=true';
  const path = `${jobPath(options.team, name)}/trigger${query}`;
  const { data } = await api.ask<TriggerJson>('POST', path, body);
  const checkMessages = (data.checks ?? []).flatMap(({ message }) => message ?? []);
  for (const message of checkMessages) terminal.err(`${replaceInvisible(message)}\n`);
  if (checkMessages.length > 0) terminal.err('The build uses the versions that were known before.\n');
  const line = `${titleOf(name)}: build ${replaceInvisible(data.number)}, ${api.url}${replaceInvisible(data.url)}\n`;
  if (options.watch === true) {
    terminal.err(line);
    return await followBuildToEnd({ api, options, terminal }, name, data.number);
  }
  await printResult(data, options, terminal, () => line);
  return EXIT.success;
}

/** Refuses --watch together with an output format for programs, because --watch prints a log. */
export function refuseDataForm(options: { watch?: boolean } & OutputOptions): void {
  if (options.watch === true && isDataForm(options.output))
    throw new CommandError('--watch prints only the log: remove --watch or --output');
}

const titleOf = ({ pipeline, job }: JobArgument): string => `${pipeline}/${job}`;
const triggerHint = (name: JobArgument): string => `millrace trigger ${titleOf(name)}`;
const jobPath = (team: string, { pipeline, job }: JobArgument): string =>
  requestPath('teams', team, 'pipelines', pipeline, 'jobs', job);

/** Prints a build until it ends. Returns the exit code: 1 if the build failed or was cancelled. */
export async function followBuildToEnd(
  { api, options, terminal }: WatchContext,
  name: JobArgument,
  number: string,
): Promise<Exit> {
  const path = `${jobPath(options.team, name)}${requestPath('builds', number)}`;
  const fetchBuild = async () => await api.get<BuildDetailJson>(path);
  // If the build cannot be fetched, its log is shown without the names of the steps.
  const tryFetchBuild = async () => await fetchBuild().catch(ignoreCommandError);
  const printer = new BuildPrinter(`${titleOf(name)} ${number}`, terminal, tryFetchBuild);
  await streamBuild(api, `${path}/events`, printer, terminal);
  const build = printer.build?.ended_at === undefined ? await fetchBuild() : printer.build;
  printer.conclude(build);
  return EXIT_CODES[build.status];
}

function ignoreCommandError(error: unknown): undefined {
  if (!(error instanceof CommandError)) throw error;
}

/** The exit code for each status: 0 for builds that `passed` counts as good. */
const EXIT_CODES: Record<BuildJson['status'], Exit> = {
  succeeded: EXIT.success,
  warning: EXIT.success,
  failed: EXIT.failure,
  cancelled: EXIT.failure,
  pending: EXIT.error,
  waiting: EXIT.error,
  started: EXIT.error,
};

/** Prints the log on standard output and everything else on standard error. */
class BuildPrinter implements BuildListener {
  build: BuildDetailJson | undefined;
  readonly #title: string;
  readonly #terminal: Terminal;
  readonly #screen: ScreenText;
  readonly #fetchBuild: () => Promise<BuildDetailJson | undefined>;
  /** Ids of steps whose names were missing, so that the build was fetched to find them. */
  readonly #stepsSearched = new Set<string>();
  /** Ids of steps whose metadata is printed. */
  readonly #withMetadata = new Set<string>();
  #lastStatusLine = '';
  #lastHeading = '';
  #endsLine = true;
  /** Whether log text was printed after the last status line: it may have left colours on. */
  #logged = false;

  constructor(title: string, terminal: Terminal, fetchBuild: () => Promise<BuildDetailJson | undefined>) {
    this.#title = title;
    this.#terminal = terminal;
    this.#fetchBuild = fetchBuild;
    this.#screen = new ScreenText(terminal.colour);
  }

  state(build: BuildDetailJson): void {
    this.build = build;
    const { status, message } = build;
    const showsMessage = ['pending', 'waiting'].includes(status) && message !== undefined;
    const line = `${this.#title}: ${status}${showsMessage ? `, ${message}` : ''}`;
    this.#printMetadata(build);
    // The final status is printed after the log.
    if (line === this.#lastStatusLine || build.ended_at !== undefined) return;
    this.#lastStatusLine = line;
    this.#printDimmed(line);
  }

  async log({ step, attempt, text }: ChunkJson): Promise<void> {
    const name = (await this.#nameOf(step)) ?? `step ${step}`;
    const heading = attempt > 1 ? `${name}, attempt ${attempt}` : name;
    if (heading !== this.#lastHeading) this.#printDimmed(`── ${heading}`);
    this.#lastHeading = heading;
    if (this.#terminal.isOver === true)
      throw new CommandError('the reader of the log has closed it; the build continues');
    this.#terminal.out(this.#terminal.isScreen ? this.#screen.push(text) : text);
    this.#endsLine = text.endsWith('\n');
    this.#logged = true;
  }

  /** Log lines may arrive before the state that names their step. */
  async #nameOf(step: string): Promise<string | undefined> {
    const find = () => this.build?.steps.find(({ id }) => id === step);
    if (find() === undefined && !this.#stepsSearched.has(step)) {
      this.#stepsSearched.add(step);
      this.build = (await this.#fetchBuild()) ?? this.build;
    }
    const found = find();
    return found && [found.hook, stepTitle(found)].filter(Boolean).join(' ');
  }

  /** Prints the metadata of each get and put once. A failed attempt has no metadata. */
  #printMetadata({ steps }: BuildDetailJson): void {
    for (const { id, kind, name, metadata = [] } of steps) {
      if (metadata.length === 0 || this.#withMetadata.has(id)) continue;
      this.#withMetadata.add(id);
      this.#printDimmed(`── ${kind} ${name}, about its version`);
      this.#lastHeading = '';
      for (const entry of metadata) this.#printDimmed(`   ${entry.name}: ${entry.value}`);
    }
  }

  broken(cause: string): void {
    this.#printDimmed(`${cause} The build continues; reconnecting.`);
  }

  conclude(build: BuildDetailJson): void {
    this.#printMetadata(build);
    const { status, duration, message } = build;
    const cell = statusCell(status);
    const paint = painter(this.#terminal);
    const renderedStatus = typeof cell === 'string' ? cell : paint(cell.style, cell.text);
    const took = duration === undefined ? '' : ` after ${durationOf(duration)}`;
    const reason = message === undefined ? '' : `: ${replaceInvisible(message)}`;
    this.#printLine(`${this.#title}: ${renderedStatus}${took}${reason}`);
  }

  #printDimmed(line: string): void {
    this.#printLine(painter(this.#terminal)('dim', replaceInvisible(line)));
  }

  /** Prints a line of its own on standard error, after resetting the colours of the log. */
  #printLine(line: string): void {
    const { isScreen, colour } = this.#terminal;
    const reset = this.#logged && colour ? '\u001b[0m' : '';
    if (isScreen) this.#terminal.out(`${reset}${this.#endsLine ? '' : '\n'}`);
    this.#endsLine = true;
    this.#logged = false;
    this.#terminal.err(`${line}\n`);
  }
}
