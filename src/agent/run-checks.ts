import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import type { CheckResult, CheckResultsRequest } from '#domain/build/agent-protocol.ts';
import { createMasker, type Masker } from '#domain/build/mask.ts';
import { CHECK_OUTPUT_LIMIT, parseCheckOutput } from '#domain/build/parse-check-output.ts';
import { storable } from '#domain/build/storable.ts';
import { CHECKS_AT_ONCE } from '#domain/planning/check-deadline.ts';
import type { CheckPlan, CheckRun } from '#domain/planning/plan.ts';
import { Head, Tail } from './capture.ts';
import { runCommand, whyFailed, type CommandEnd } from './run-command.ts';
import type { Stop } from './stop.ts';

const LOG_TAIL = 64 * 1024;
const LONGEST_WORDS = 500;
/** Results in one request: each is at most a megabyte of versions and a log. */
const AT_ONCE = 4;

export interface Checks {
  run: CheckRun;
  shims: Map<string, ShimConnection>;
  stop: Stop;
  post: (results: CheckResultsRequest) => Promise<void>;
}

/** Runs all checks, a few side by side, and posts each result as soon as the previous post is through. */
export async function runChecks({ run, shims, stop, post }: Checks): Promise<void> {
  // Nothing is due: the run has no row, and no one waits for an answer.
  if (run.checks.length === 0) return;
  const masker = createMasker(run.secrets);
  const waiting = [...run.checks];
  const results: CheckResult[] = [];
  let posting = Promise.resolve();
  const postSome = async (): Promise<void> => {
    for (let some = results.splice(0, AT_ONCE); some.length > 0; some = results.splice(0, AT_ONCE)) {
      await post({ results: some, done: false });
    }
  };
  const lane = async (): Promise<void> => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      results.push(await runCheck(check, { shims, stop, masker }));
      if (waiting.length > 0) posting = posting.then(postSome);
      posting.catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CHECKS_AT_ONCE, run.checks.length) }, lane));
  await posting;
  const last = results.splice(-AT_ONCE);
  await postSome();
  await post({ results: last, done: true });
}

interface CheckPlace {
  shims: Map<string, ShimConnection>;
  stop: Stop;
  masker: Masker;
}

async function runCheck(check: CheckPlan, { shims, stop, masker }: CheckPlace): Promise<CheckResult> {
  const answer = new Head(CHECK_OUTPUT_LIMIT);
  const log = new Tail(LOG_TAIL);
  const limit = AbortSignal.timeout(check.timeoutSeconds * 1000);
  const end = await runCommand({
    shims,
    command: check.command,
    env: check.env,
    stop: AbortSignal.any([limit, stop.signal]),
    onOutput: (stream, bytes) => (stream === 'stdout' ? answer : log).write(bytes),
  });
  const verdict = judge({ check, end, answer, late: limit.aborted, stopped: stop.reason !== undefined });
  const shown = { scope: check.scope, log: storable(masker.mask(log.text())) };
  if ('error' in verdict) {
    const words = verdict.ownWords === true ? lastLine(shown.log) : '';
    return { ...shown, error: storable(masker.mask(verdict.error)) + words };
  }
  const leak = leakingField(verdict.versions, masker);
  if (leak !== undefined) {
    const error = `The field ${JSON.stringify(leak)} of a version holds a secret; versions are stored and shown.`;
    return { ...shown, error };
  }
  const { versions, cut } = verdict;
  return { ...shown, versions, ...(cut > 0 ? { cut } : {}) };
}

interface Judged {
  check: CheckPlan;
  end: CommandEnd;
  answer: Head;
  late: boolean;
  stopped: boolean;
}

function judge({
  check,
  end,
  answer,
  late,
  stopped,
}: Judged): { versions: Record<string, string>[]; cut: number } | { error: string; ownWords?: boolean } {
  if (stopped) return { error: 'The Pod was asked to end before the check was done.' };
  if (late) return { error: `The check took longer than ${check.timeoutSeconds} s.` };
  if ('lost' in end) return { error: `The check did not end: ${end.lost}.` };
  const failure = whyFailed(end);
  if (failure !== undefined) return { error: `The check failed: ${failure}.`, ownWords: true };
  if (answer.overflown) return { error: `The check printed more than ${CHECK_OUTPUT_LIMIT} bytes.` };
  const parsed = parseCheckOutput(answer.text());
  return parsed.ok ? { versions: parsed.versions, cut: parsed.left } : { error: parsed.error };
}

/** What the script said last is most often why it failed. The log is masked before it is cut. */
function lastLine(log: string): string {
  const line = log.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : ` ${line.slice(0, LONGEST_WORDS)}`;
}

/** Versions go out as they are, or not at all: a masked one would name nothing. */
function leakingField(versions: Record<string, string>[], masker: Masker): string | undefined {
  for (const version of versions) {
    const leak = Object.entries(version).find(([key, value]) => masker.mask(key + value) !== key + value);
    if (leak) return masker.mask(leak[0]);
  }
  return undefined;
}
