import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import { defined } from '#defined';
import type { CheckResult, CheckResultsRequest } from '#domain/build/agent-protocol.ts';
import { createMasker, type Masker } from '#domain/build/mask-secrets.ts';
import {
  explainLongOutput,
  MAX_CHECK_BYTES,
  MAX_VERSIONS_BYTES,
  parseCheckOutput,
} from '#domain/build/parse-check-output.ts';
import { parseProtocolCheck } from '#domain/build/parse-protocol-output.ts';
import { storable } from '#domain/build/storable.ts';
import { MAX_PARALLEL_CHECKS } from '#domain/planning/check-deadline.ts';
import type { CheckPlan, CheckRun } from '#domain/planning/plan.ts';
import { Head, MaskedTail } from './capture.ts';
import { callOf } from './protocol-call.ts';
import { runCommand, whyFailed, type CommandEnd } from './run-command.ts';
import { Secrets, type SecretLinks } from './secrets.ts';
import type { Stop } from './stop.ts';

const LOG_TAIL_BYTES = 64 * 1024;
const MAX_LINE_CHARACTERS = 500;
/**
 * Limits of one request. A result above `POST_BYTES` is sent alone; its versions take at most
 * `MAX_VERSIONS_BYTES`.
 */
const RESULTS_PER_POST = 4;
const POST_BYTES = 4 * 1024 * 1024;

export interface ChecksWork {
  run: CheckRun;
  shims: Map<string, ShimConnection>;
  stop: Stop;
  post: (results: CheckResultsRequest) => Promise<void>;
  requestSecrets: SecretLinks['request'];
}

/** Runs all checks, a few in parallel. Posts results while other checks run, one request after another. */
export async function runChecks({ run, shims, stop, post, requestSecrets }: ChecksWork): Promise<void> {
  // No check is due. Then the database has no row for this run, so the gateway could not store a report.
  if (run.checks.length === 0) return;
  const masker = createMasker([]);
  const onOver = (): void => stop.request('session-over');
  const secrets = new Secrets({ request: requestSecrets, masker, shims, onOver });
  const waiting = [...run.checks];
  const results: CheckResult[] = [];
  let posting = Promise.resolve();
  const postCollected = async (): Promise<void> => {
    while (results.length > 0) await post({ results: takeForPost(results), done: false });
  };
  const runWaiting = async (): Promise<void> => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      results.push(await runCheck(check, { shims, stop, masker, secrets }));
      if (waiting.length > 0) posting = posting.then(postCollected);
      posting.catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL_CHECKS, run.checks.length) }, runWaiting));
  await posting;
  let batch = takeForPost(results);
  while (results.length > 0) {
    await post({ results: batch, done: false });
    batch = takeForPost(results);
  }
  await post({ results: batch, done: true });
}

/** Removes the first results, as many as one request may have, and returns them. */
function takeForPost(results: CheckResult[]): CheckResult[] {
  let count = 0;
  let bytes = 0;
  for (const result of results) {
    bytes += jsonBytes(result);
    if (count === RESULTS_PER_POST || (count > 0 && bytes > POST_BYTES)) break;
    count += 1;
  }
  return results.splice(0, count);
}

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

interface CheckContext {
  shims: Map<string, ShimConnection>;
  stop: Stop;
  masker: Masker;
  secrets: Secrets;
}

async function runCheck(
  plannedCheck: CheckPlan,
  { shims, stop, masker, secrets }: CheckContext,
): Promise<CheckResult> {
  const limit = AbortSignal.timeout(plannedCheck.timeoutSeconds * 1000);
  const ending = AbortSignal.any([limit, stop.signal]);
  const check = await secrets.fillIn(plannedCheck, { stop: ending });
  if (check === undefined)
    return { scope: plannedCheck.scope, log: '', error: whyStopped(plannedCheck, limit.aborted) };
  if (check.refusal !== undefined)
    return { scope: check.scope, log: '', error: storable(masker.mask(check.refusal)) };
  const standardOutput = new Head(MAX_CHECK_BYTES);
  const log = new MaskedTail(masker, LOG_TAIL_BYTES);
  const end = await runCommand({
    shims,
    command: check.command,
    env: check.env,
    ...defined({ cwd: check.workdir, ...callOf(check) }),
    stop: ending,
    onOutput: (stream, bytes) =>
      stream === 'stdout' ? standardOutput.write(bytes) : log.write(stream, bytes),
  });
  const isStopped = stop.reason !== undefined;
  const judgement = judge({ check, end, standardOutput, masker, isLate: limit.aborted, isStopped });
  const scopeAndLog = { scope: check.scope, log: storable(log.end()) };
  if ('error' in judgement) {
    const quoted = judgement.quotesLog === true ? lastLine(scopeAndLog.log) : '';
    return { ...scopeAndLog, error: storable(masker.mask(judgement.error)) + quoted };
  }
  const leak = leakingField(judgement.versions, masker);
  if (leak !== undefined) {
    const error = `The field ${JSON.stringify(leak)} of a version holds a secret; versions are stored and shown.`;
    return { ...scopeAndLog, error };
  }
  const { versions, cut } = judgement;
  return { ...scopeAndLog, versions, ...(cut > 0 ? { cut } : {}) };
}

/** `isLate`: the time limit of the check itself was over. */
function whyStopped({ timeoutSeconds }: CheckPlan, isLate: boolean): string {
  return isLate
    ? `The check took longer than ${timeoutSeconds} s.`
    : 'The Pod was terminated before the check was done.';
}

interface CheckToJudge {
  check: CheckPlan;
  end: CommandEnd;
  standardOutput: Head;
  masker: Masker;
  isLate: boolean;
  isStopped: boolean;
}

function judge({
  check,
  end,
  standardOutput,
  masker,
  isLate,
  isStopped,
}: CheckToJudge):
  | { versions: Record<string, string>[]; cut: number }
  | { error: string; quotesLog?: boolean } {
  if (isStopped || isLate) return { error: whyStopped(check, !isStopped) };
  if ('lost' in end) return { error: `The check did not end: ${end.lost}.` };
  const failure = whyFailed(end);
  if (failure !== undefined) return { error: `The check failed: ${failure}.`, quotesLog: true };
  const printed = standardOutput.text();
  const mask = (text: string): string => masker.mask(text);
  if (standardOutput.overflowed) return { error: explainLongOutput(printed, mask) };
  const parse = check.call === undefined ? parseCheckOutput : parseProtocolCheck;
  const parsed = parse(printed, mask);
  if (!parsed.ok) return { error: parsed.error };
  const bytes = jsonBytes(parsed.versions);
  return bytes > MAX_VERSIONS_BYTES
    ? {
        error: `The new versions of the check take ${bytes} bytes as JSON, more than ${MAX_VERSIONS_BYTES}.`,
      }
    : { versions: parsed.versions, cut: parsed.leftOut };
}

/**
 * A space and the last line of the masked log, or an empty text if the log is empty. The line often names the
 * cause of a failure.
 */
function lastLine(log: string): string {
  const line = log.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : ` ${line.slice(0, MAX_LINE_CHARACTERS)}`;
}

/**
 * The masked name of the first field whose name or value contains a secret. Undefined: there is none. Such
 * versions are refused, because no get could use a masked version.
 */
function leakingField(versions: Record<string, string>[], masker: Masker): string | undefined {
  for (const version of versions) {
    const leak = Object.entries(version).find(([key, value]) => masker.mask(key + value) !== key + value);
    if (leak) return masker.mask(leak[0]);
  }
  return undefined;
}
