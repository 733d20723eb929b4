import { randomBytes } from 'node:crypto';
import { installShim } from '#adapters/process/install-shim.ts';
import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import { ShimServer } from '#adapters/process/shim-server.ts';
import { defined } from '#defined';
import type { AgentWork, CheckResultsRequest, EventsResponse } from '#domain/build/agent-protocol.ts';
import type { OutcomeReason } from '#domain/build/events.ts';
import type { CheckRun, HooksPlan, Plan, PlanContainer } from '#domain/planning/plan.ts';
import { isEventsResponse } from './answers.ts';
import { DebugSessions } from './debug-sessions.ts';
import { readToken, type AgentEnvironment } from './environment.ts';
import { debugExchange, secretsRequestAfter } from './exchanges.ts';
import { followCommands } from './follow-commands.ts';
import { GatewayClient, GatewayError, SessionOver } from './gateway-client.ts';
import { identityFetcher } from './identity-tokens.ts';
import { requestSession, type Opening } from './open-session.ts';
import { Outbox } from './outbox.ts';
import { pauseFor, retry } from './retry.ts';
import { runBuild, type BuildConclusion } from './run-build.ts';
import { runChecks } from './run-checks.ts';
import { KILL_AFTER_MS } from './run-command.ts';
import { runHookPlans } from './run-hooks.ts';
import { RunningCommands } from './running-commands.ts';
import { Spool } from './spool.ts';
import { Stop } from './stop.ts';
import { writeTermination, type StepEnd, type Termination } from './termination.ts';
import { waitForWork } from './wait-for-work.ts';

/**
 * How long the shims of a build may take to connect. Longer than the operator waits for their containers,
 * because the operator knows why they do not start.
 */
const BUILD_GATHER_LIMIT_MS = 20 * 60_000;
const CHECK_GATHER_LIMIT_MS = 5 * 60_000;
/** How long the agent tries to reach the gateway before it gives up. */
const REPORT_LIMIT_MS = 10 * 60_000;
const HOOKS_REPORT_LIMIT_MS = 15_000;
/** The node's architecture, as image manifests name it. */
const ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch;
/**
 * Kubernetes gives a Pod 30 s to end. The steps get the first 10 s, then the agent has these 12 s to report.
 */
const TERMINATION_REPORT_MS = 12_000;
/**
 * How long a warm Pod lives on after the outcome of its build is stored. Ending a Pod takes processor time,
 * and the next builds start at this moment, perhaps on the same node.
 */
const TEARDOWN_DELAY_MS = 500;

/**
 * Waits for the last report of a check Pod and returns the exit code. `SessionOver` counts as a success: the
 * gateway has closed the run, perhaps after an earlier report whose response was lost.
 */
async function exitCodeOf(reported: Promise<void>): Promise<number> {
  try {
    await reported;
  } catch (error) {
    if (!(error instanceof SessionOver)) throw error;
  }
  return 0;
}

/** The agent of one Pod: one session, and one build or one run of checks or hooks. */
export class Agent {
  readonly #environment: AgentEnvironment;
  readonly #client: GatewayClient;
  readonly #key = randomBytes(32).toString('base64url');
  readonly #stop = new Stop();
  /** Stops only the steps of a build: the hooks of a cancelled build still run. */
  readonly #planStop = this.#stop.child();
  readonly #server: ShimServer;
  #shims = new Map<string, ShimConnection>();
  /** When the agent stops trying to reach the gateway, in the time of `performance.now()`. */
  #giveUpAt = performance.now() + REPORT_LIMIT_MS;
  #outbox: Outbox | undefined;
  readonly #ends: StepEnd[] = [];
  /** True: the end of the build is in the termination message. */
  #hasReportedEnd = false;

  constructor(environment: AgentEnvironment) {
    this.#environment = environment;
    this.#client = new GatewayClient(environment.gateway, environment.certificateAuthority, this.#key);
    this.#server = new ShimServer(environment.shimSecret);
  }

  /** Call this when the Pod is being deleted. Stops the work and limits the time for the last reports. */
  terminate(): void {
    this.#giveUpAt = performance.now() + KILL_AFTER_MS + TERMINATION_REPORT_MS;
    this.#stop.request('terminated');
  }

  /** Reports an unexpected error, unless the end of the build is reported already. */
  crash(error: unknown): void {
    if (!this.#hasReportedEnd) this.#reportFault(error);
  }

  /** Returns the exit code of the process. 0: the gateway or the termination message has the full result. */
  async run(): Promise<number> {
    const opening = this.#openSession();
    try {
      const [session] = await Promise.all([
        this.#planStop.unlessStopped(opening.work),
        this.#server.listen(this.#environment.shimPort),
        this.#installShim(),
      ]);
      const { confirmed } = opening;
      confirmed.catch((error: unknown) => {
        if (error instanceof SessionOver) this.#stop.request('session-over');
      });
      const isWarm = session.work === 'wait';
      const work = isWarm ? await this.#waitForWork() : session;
      if (work.work === 'build') {
        const exitCode = await this.#runBuild(work.plan, confirmed);
        if (isWarm) await pauseFor(TEARDOWN_DELAY_MS, this.#stop.signal);
        return exitCode;
      }
      return await this.#runChecks(work.run, confirmed);
    } catch (error) {
      return this.#reportFault(error);
    } finally {
      this.#server.close();
      await Promise.all([...this.#shims.values()].map((shim) => shim.end()));
      this.#client.close();
    }
  }

  #openSession(): Opening {
    const { pod, nonce, tokenFile } = this.#environment;
    const request = () => ({
      key: this.#key,
      pod,
      architecture: ARCHITECTURE,
      ...defined({ nonce }),
      ...(tokenFile === undefined ? {} : { token: readToken(tokenFile) }),
    });
    return requestSession(this.#client, request, { until: () => this.#giveUpAt });
  }

  async #installShim(): Promise<void> {
    const { shimFolder, shimBinary } = this.#environment;
    if (shimFolder !== undefined) await installShim(shimBinary, shimFolder);
  }

  async #connectShims(containers: PlanContainer[], limitMs: number): Promise<void> {
    const names = containers.map((container) => container.name);
    this.#shims = await this.#planStop.unlessStopped(this.#server.gather(names, limitMs));
  }

  /** Connects to every step container first, and only then offers the warm Pod to builds. */
  async #waitForWork(): Promise<AgentWork> {
    await this.#connectShims(this.#environment.containers, BUILD_GATHER_LIMIT_MS);
    const stop = this.#stop.signal;
    const work = await waitForWork(this.#client, {
      architecture: ARCHITECTURE,
      stop,
      unreachableLimitMs: REPORT_LIMIT_MS,
    });
    this.#giveUpAt = performance.now() + REPORT_LIMIT_MS;
    return work;
  }

  async #runBuild(plan: Plan, confirmed: Promise<void>): Promise<number> {
    const done = new AbortController();
    const outbox = this.#openOutbox(confirmed);
    this.#outbox = outbox;
    const commands = new RunningCommands();
    const shells = new DebugSessions({ exchange: debugExchange(this.#client), commands });
    const follower = { stop: this.#planStop, onDebug: () => shells.wake() };
    const follow = (): Promise<void> => followCommands(this.#client, follower, done.signal);
    void confirmed.then(follow, () => undefined);
    try {
      await this.#connectShims(plan.containers, BUILD_GATHER_LIMIT_MS).catch((error: unknown) => {
        // Cancelled while the containers were still starting: report every step as skipped.
        if (this.#planStop.reason !== 'cancelled') throw error;
      });
      this.#giveUpAt = performance.now() + plan.timeoutSeconds * 1000 + REPORT_LIMIT_MS;
      const onStepEnded = (end: StepEnd): void => this.#stepEnded(end);
      const stops = { stop: this.#planStop, root: this.#stop };
      const requestSecrets = secretsRequestAfter(this.#client, confirmed);
      const fetchIdentity = identityFetcher(this.#client, confirmed);
      const conclusion = await runBuild({
        plan,
        shims: this.#shims,
        outbox,
        requestSecrets,
        ...stops,
        onStepEnded,
        fetchIdentity,
        commands,
      });
      await Promise.all([this.#reportEnd(conclusion, outbox), shells.close()]);
      return conclusion.known ? 0 : 1;
    } finally {
      done.abort();
      await shells.close();
      outbox.giveUp(new Error('the agent ends'));
    }
  }

  #openOutbox(confirmed: Promise<void>): Outbox {
    const send = async (body: Buffer): Promise<EventsResponse> => {
      await confirmed;
      const answer = await this.#client.post('/agent/v1/events', body);
      if (!isEventsResponse(answer)) throw new GatewayError('the gateway sent an invalid acknowledgement');
      return answer;
    };
    const links = {
      send,
      onCancel: () => this.#planStop.request('cancelled'),
      onOver: () => this.#stop.request('session-over'),
      onRefused: () => this.#stop.request('refused'),
    };
    return new Outbox(links, new Spool(this.#environment.spoolFolder));
  }

  /**
   * Writes the termination message before it reports to the gateway, so that a kill in between loses nothing.
   */
  async #reportEnd(conclusion: BuildConclusion, outbox: Outbox): Promise<void> {
    const { known, outcome, reason, message, notified } = conclusion;
    const end = { outcome, reason, message };
    this.#hasReportedEnd = true;
    this.#writeTermination(end);
    if (this.#stop.reason === 'session-over') return;
    const event = { type: 'build-ended', ...end, ...(notified ? {} : { notified }) } as const;
    const lastSequence = known ? outbox.add(event, true) : outbox.flush();
    const until = this.#stop.reason === 'terminated' ? this.#giveUpAt : performance.now() + REPORT_LIMIT_MS;
    const limit = setTimeout(
      () => outbox.giveUp(new Error('the gateway has been unreachable for too long')),
      until - performance.now(),
    );
    await outbox.whenAcknowledged(lastSequence).catch(() => undefined);
    clearTimeout(limit);
    this.#writeTermination(end);
  }

  /** Writes the version of a put to the termination message at once, so that a kill does not lose it. */
  #stepEnded(end: StepEnd): void {
    this.#ends.push(end);
    if (end.version !== undefined)
      this.#writeTermination({ outcome: 'failed', reason: 'AgentFault', message: '' });
  }

  #writeTermination(end: Pick<Termination, 'outcome' | 'reason' | 'message'>): void {
    const acknowledgedSequence = this.#outbox?.acknowledgedUpTo ?? 0;
    writeTermination(this.#environment.terminationLog, { ...end, ends: this.#ends, acknowledgedSequence });
  }

  async #runChecks(run: CheckRun, confirmed: Promise<void>): Promise<number> {
    if (run.hooks !== undefined) return await this.#runHooks(run, run.hooks, confirmed);
    if (run.checks.length === 0) {
      // No check is due. The agent connects to the containers only to end them: otherwise they would fail.
      await this.#connectShims(this.#environment.containers, CHECK_GATHER_LIMIT_MS);
      return 0;
    }
    await this.#connectShims(run.containers, CHECK_GATHER_LIMIT_MS);
    const longest = Math.max(...run.checks.map((check) => check.timeoutSeconds));
    this.#giveUpAt = performance.now() + longest * run.checks.length * 1000 + REPORT_LIMIT_MS;
    const post = (results: CheckResultsRequest): Promise<void> => this.#postResults(results, confirmed);
    const requestSecrets = secretsRequestAfter(this.#client, confirmed);
    return await exitCodeOf(runChecks({ run, shims: this.#shims, stop: this.#stop, post, requestSecrets }));
  }

  async #runHooks({ containers }: CheckRun, hooks: HooksPlan, confirmed: Promise<void>): Promise<number> {
    const until = performance.now() + hooks.seconds * 1000;
    await this.#connectShims(containers, hooks.seconds * 1000);
    const requestSecrets = secretsRequestAfter(this.#client, confirmed);
    const results = await runHookPlans({
      hooks,
      requestSecrets,
      shims: this.#shims,
      stop: this.#stop,
      until,
    });
    // Builds wait only a short time for the results of hooks, so a late report has no use.
    this.#giveUpAt = Math.min(this.#giveUpAt, performance.now() + HOOKS_REPORT_LIMIT_MS);
    return await exitCodeOf(this.#postResults({ results: [], hooks: results, done: true }, confirmed));
  }

  async #postResults(results: CheckResultsRequest, confirmed: Promise<void>): Promise<void> {
    const body = JSON.stringify(results);
    await confirmed;
    const send = (): Promise<unknown> => this.#client.post('/agent/v1/check-results', body);
    await retry(send, { until: () => this.#giveUpAt });
  }

  #reportFault(error: unknown): number {
    const reason = this.#faultReason(error);
    const message = Error.isError(error) ? error.message : String(error);
    this.#writeTermination({ outcome: 'failed', reason, message });
    process.stderr.write(`millrace-agent: ${reason}: ${message}\n`);
    return 1;
  }

  #faultReason(error: unknown): OutcomeReason {
    if (error instanceof SessionOver) return 'AgentAuthentication';
    return this.#stop.reason === 'terminated' ? 'PodLost' : 'AgentFault';
  }
}
