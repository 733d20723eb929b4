import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import type { HookResult } from '#domain/build/agent-protocol.ts';
import { expandMessage } from '#domain/build/expand-message.ts';
import { FURTHER_HOOKS } from '#domain/build/explain-hook-failures.ts';
import { createMasker, type Masker } from '#domain/build/mask-secrets.ts';
import { storable } from '#domain/build/storable.ts';
import type { HookPlan, HooksPlan } from '#domain/planning/plan.ts';
import { MaskedTail } from './capture.ts';
import { runCommand, whyFailed, type CommandEnd } from './run-command.ts';
import { Secrets, type SecretLinks } from './secrets.ts';
import type { Stop } from './stop.ts';

/** How many hooks of one version run in parallel. */
const MAX_PARALLEL_HOOKS = 8;
/**
 * How many bytes of output the agent reports for all hooks together. Each hook has an equal share, but never
 * less than `MIN_OUTPUT_BYTES`.
 */
const OUTPUT_BYTES = 64 * 1024;
const MIN_OUTPUT_BYTES = 128;
/** Shorter than for steps, because builds wait for the hooks. */
const KILL_AFTER_MS = 1000;

export interface HooksWork {
  hooks: HooksPlan;
  requestSecrets: SecretLinks['request'];
  shims: Map<string, ShimConnection>;
  stop: Stop;
  /** When the hooks must have ended, in the time of `performance.now()`. */
  until: number;
}

/**
 * Runs the hooks of new versions, or the notifications of builds without a Pod. Takes the versions one after
 * another, and runs the hooks of a version in parallel. The versions whose hooks have not run yet share the
 * remaining time equally.
 */
export async function runHookPlans(work: HooksWork): Promise<HookResult[]> {
  const masker = createMasker([]);
  const onOver = (): void => work.stop.request('session-over');
  const secrets = new Secrets({ request: work.requestSecrets, masker, shims: work.shims, onOver });
  const rounds = [...Map.groupBy(work.hooks.plans, ({ version }) => version).values()];
  const results: HookResult[] = [];
  for (const [index, round] of rounds.entries()) {
    const now = performance.now();
    const share = (work.until - now) / (rounds.length - index);
    const until = now + Math.max(0, share);
    results.push(...(await runRound(round, { ...work, masker, secrets, until })));
  }
  return [...results, ...resultOfLeftOut(work.hooks)];
}

/** One result that reports how many hooks did not fit into the Pod, or nothing if all of them did. */
function resultOfLeftOut({ plans, leftOut: count }: HooksPlan): HookResult[] {
  const last = plans.at(-1);
  if (last === undefined || count === 0) return [];
  const error = `${count} hooks were not run: one Pod runs at most ${plans.length}, for all new versions together.`;
  return [{ version: last.version, job: last.job, hook: FURTHER_HOOKS, error, output: '' }];
}

/** What the hooks of one version run with. */
interface Round extends HooksWork {
  masker: Masker;
  secrets: Secrets;
}

async function runRound(round: readonly HookPlan[], work: Round): Promise<HookResult[]> {
  const results = new Map<HookPlan, HookResult>();
  const waiting = round.values();
  const runWaiting = async (): Promise<void> => {
    for (const hook of waiting) results.set(hook, await runHook(hook, work));
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL_HOOKS }, runWaiting));
  return round.flatMap((hook) => results.get(hook) ?? []);
}

async function runHook(plannedHook: HookPlan, work: Round): Promise<HookResult> {
  const { version, job, hook: name } = plannedHook;
  const remainingMs = Math.max(0, work.until - performance.now());
  const limit = AbortSignal.timeout(Math.ceil(remainingMs));
  const ending = AbortSignal.any([limit, work.stop.signal]);
  const hook = remainingMs > 0 ? await work.secrets.fillIn(plannedHook, { stop: ending }) : undefined;
  if (hook === undefined || work.stop.reason !== undefined)
    return { version, job, hook: name, error: 'there was no time left to run it.', output: '' };
  if (hook.refusal !== undefined)
    return { version, job, hook: name, error: storable(work.masker.mask(hook.refusal)), output: '' };
  const outputShare = Math.floor(OUTPUT_BYTES / work.hooks.plans.length);
  const output = new MaskedTail(work.masker, Math.max(MIN_OUTPUT_BYTES, outputShare));
  const end = await runCommand({
    shims: work.shims,
    command: hook.command,
    env: environmentOf(hook),
    cwd: work.hooks.workdir,
    stop: ending,
    killAfterMs: KILL_AFTER_MS,
    onOutput: (stream, bytes) => output.write(stream, bytes),
  });
  const error = limit.aborted ? 'it took too long.' : whyHookFailed(end);
  const result = { version, job, hook: name, output: storable(output.end()) };
  return error === undefined ? result : { ...result, error: storable(work.masker.mask(error)) };
}

function environmentOf({ env, message }: HookPlan): Record<string, string> {
  return message === undefined || message === ''
    ? env
    : { ...env, NOTIFY_MESSAGE: expandMessage(message, env), NOTIFY_TEMPLATE: message };
}

function whyHookFailed(end: CommandEnd): string | undefined {
  if ('lost' in end) return `its end is not known: ${end.lost}.`;
  const failure = whyFailed(end);
  return failure === undefined ? undefined : `${failure}.`;
}
