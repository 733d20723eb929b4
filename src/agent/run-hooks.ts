import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import type { HookResult } from '#domain/build/agent-protocol.ts';
import { expandMessage } from '#domain/build/expand-message.ts';
import { createMasker, type Masker } from '#domain/build/mask-secrets.ts';
import { storable } from '#domain/build/storable.ts';
import type { HookPlan, HooksPlan } from '#domain/planning/plan.ts';
import { Tail } from './capture.ts';
import { runCommand, whyFailed, type CommandEnd } from './run-command.ts';
import { Secrets, type SecretLinks } from './secrets.ts';
import type { Stop } from './stop.ts';

/** Hooks of one version that run in parallel. */
const MAX_PARALLEL_HOOKS = 8;
/** Output to report, of all hooks together. */
const OUTPUT_BYTES = 64 * 1024;
const MIN_OUTPUT_BYTES = 128;
/** Short, since builds wait for the hooks. */
const KILL_AFTER_MS = 1000;

export interface HooksWork {
  hooks: HooksPlan;
  requestSecrets: SecretLinks['request'];
  shims: Map<string, ShimConnection>;
  stop: Stop;
  /** When they must have ended, in the time of `performance.now()`. */
  until: number;
}

/**
 * Runs all hooks: the versions one after another, the hooks of a version in parallel. The remaining versions
 * share the remaining time.
 */
export async function runHookPlans(work: HooksWork): Promise<HookResult[]> {
  const masker = createMasker([]);
  const onOver = (): void => work.stop.request('session-over');
  const secrets = new Secrets({ request: work.requestSecrets, masker, shims: work.shims, onOver });
  const rounds = [...Map.groupBy(work.hooks.plans, ({ version }) => version).values()];
  const results: HookResult[] = [];
  for (const [index, round] of rounds.entries()) {
    const left = work.until - performance.now();
    const until = work.until - left + Math.max(0, left / (rounds.length - index));
    results.push(...(await runRound(round, { ...work, masker, secrets, until })));
  }
  return [...results, ...leftOut(work.hooks)];
}

function leftOut({ plans, leftOut: count }: HooksPlan): HookResult[] {
  const last = plans.at(-1);
  if (last === undefined || count === 0) return [];
  const error = `${count} more were not run: at most ${plans.length} are, of all versions that come together.`;
  return [{ version: last.version, job: last.job, hook: 'further hooks', error, output: '' }];
}

interface Round extends HooksWork {
  masker: Masker;
  secrets: Secrets;
}

async function runRound(round: readonly HookPlan[], work: Round): Promise<HookResult[]> {
  const results = new Map<HookPlan, HookResult>();
  const waiting = round.values();
  const lane = async (): Promise<void> => {
    for (const hook of waiting) results.set(hook, await runHook(hook, work));
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL_HOOKS }, lane));
  return round.flatMap((hook) => results.get(hook) ?? []);
}

async function runHook(planned: HookPlan, work: Round): Promise<HookResult> {
  const { version, job, hook: name } = planned;
  const left = Math.max(0, work.until - performance.now());
  const limit = AbortSignal.timeout(Math.ceil(left));
  const ending = AbortSignal.any([limit, work.stop.signal]);
  const hook = left > 0 ? await work.secrets.of(planned, { stop: ending }) : undefined;
  if (hook === undefined || work.stop.reason !== undefined)
    return { version, job, hook: name, error: 'there was no time left to run it.', output: '' };
  if (hook.refusal !== undefined)
    return { version, job, hook: name, error: storable(work.masker.mask(hook.refusal)), output: '' };
  const share = Math.floor(OUTPUT_BYTES / work.hooks.plans.length);
  const output = new Tail(Math.max(MIN_OUTPUT_BYTES, share));
  const end = await runCommand({
    shims: work.shims,
    command: hook.command,
    env: environmentOf(hook),
    cwd: work.hooks.workdir,
    stop: ending,
    killAfterMs: KILL_AFTER_MS,
    onOutput: (_, bytes) => output.write(bytes),
  });
  const error = limit.aborted ? 'it took too long.' : whyNot(end);
  const shown = { version, job, hook: name, output: storable(work.masker.mask(output.text())) };
  return error === undefined ? shown : { ...shown, error: storable(work.masker.mask(error)) };
}

function environmentOf({ env, message }: HookPlan): Record<string, string> {
  return message === undefined || message === ''
    ? env
    : { ...env, NOTIFY_MESSAGE: expandMessage(message, env), NOTIFY_TEMPLATE: message };
}

function whyNot(end: CommandEnd): string | undefined {
  if ('lost' in end) return `its end is not known: ${end.lost}.`;
  const failure = whyFailed(end);
  return failure === undefined ? undefined : `${failure}.`;
}
