import { env } from 'node:process';
import type { Cause } from '#agent/build-context.ts';
import { readGivenInputs } from '#cli/client/read-assignments.ts';
import { durationOf, statusCell } from '#cli/output.ts';
import { pickWithSecrets, type PickOptions } from '#cli/pick-pipeline.ts';
import { findJob } from '#cli/plan.ts';
import { CommandError, EXIT, painter, type Exit, type Terminal } from '#cli/terminal.ts';
import { replaceInvisible } from '#domain/graph/measure-label.ts';
import { chooseInputs } from '#domain/pipeline/input-values.ts';
import type { Job } from '#domain/pipeline/pipeline.ts';
import { onInterrupts } from './interrupts.ts';
import { LocalBuild } from './local-build.ts';
import { localSecrets } from './local-secrets.ts';
import { readFolders } from './resource-folders.ts';

export interface RunJobOptions extends PickOptions {
  file: string;
  /** Absent: the only job. */
  job?: string;
  /** `<name>=<value>` */
  input?: string[];
  /** `<type>.<name>=<path>` */
  resource?: string[];
  put?: boolean;
  notify?: boolean;
  approve?: boolean;
  engine?: string;
  keep?: boolean;
}

/** Runs a job on this machine. The command succeeds if the job succeeds or ends with a warning. */
export async function runJob(options: RunJobOptions, terminal: Terminal): Promise<Exit> {
  if (process.platform !== 'linux') throw new CommandError('millrace run needs Linux');
  const picked = await pickWithSecrets(options.file, options, terminal);
  if (!picked) return EXIT.failure;
  const { name, pipeline } = picked;
  const job = findJob(pipeline, options.job);
  const inputs = inputValuesOf(job, options.input ?? []);
  const folders = await readFolders(options.resource ?? [], job);
  if (!(await isApproved(job, options, terminal))) return EXIT.failure;
  const title = `${name}/${job.name}`;
  const environment = terminal.environment ?? env;
  const secrets = localSecrets({ ...picked, environment });
  const build = new LocalBuild({
    name,
    pipeline,
    job,
    inputs,
    folders,
    secrets,
    environment,
    options,
    terminal,
  });
  const removeHandlers = onInterrupts(
    () => build.cancel(),
    () => build.kill(),
  );
  try {
    const started = performance.now();
    const cause = await build.run();
    const ended = { status: statusOf(cause, job), cause, ms: performance.now() - started };
    return conclude(title, { ...ended, summary: build.summary() }, terminal);
  } catch (error) {
    if (!build.isCancelled) throw error;
    terminal.err(`${title}: cancelled before a step began\n`);
    return EXIT.failure;
  } finally {
    removeHandlers();
    await build.close();
  }
}

function inputValuesOf(job: Job, assignments: readonly string[]): Record<string, string> {
  const chosen = chooseInputs(job.inputs ?? [], readGivenInputs(assignments));
  if ('values' in chosen) return chosen.values;
  throw new CommandError(chosen.problems.map(({ message }) => message).join(' '));
}

async function isApproved(
  { name, approval }: Job,
  { approve }: RunJobOptions,
  terminal: Terminal,
): Promise<boolean> {
  if (approval === undefined || approve === true) return true;
  if (terminal.ask === undefined)
    throw new CommandError(`the job ${name} waits for an approval: add --approve`);
  const answer = await terminal.ask(
    `${name} waits for the approval ${approval.label}. Approve it? [y/N] `,
    'shown',
  );
  if (/^y(es)?$/i.test(answer.trim())) return true;
  terminal.err('not approved\n');
  return false;
}

/** A failure that the job allows is a warning, as in a cluster. */
const statusOf = ({ outcome }: Cause, { allowFailure }: Job): Ended['status'] =>
  outcome === 'failed' && allowFailure === true ? 'warning' : outcome;

interface Ended {
  status: Cause['outcome'] | 'warning';
  cause: Cause;
  ms: number;
  summary: string;
}

function conclude(title: string, { status, cause, ms, summary }: Ended, terminal: Terminal): Exit {
  const paint = painter(terminal);
  const cell = statusCell(status);
  const renderedStatus = typeof cell === 'string' ? cell : paint(cell.style, cell.text);
  const reason = status === 'succeeded' ? '' : `: ${replaceInvisible(cause.message)}`;
  terminal.err(`\n${summary}\n${title}: ${renderedStatus} after ${durationOf(ms * 1e6)}${reason}\n`);
  return status === 'succeeded' || status === 'warning' ? EXIT.success : EXIT.failure;
}
