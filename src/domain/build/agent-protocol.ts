import type { CheckRun, Plan } from '#domain/planning/plan.ts';
import type { BuildEvent } from './events.ts';

/**
 * The agent's side of the internal gateway: JSON over HTTPS, always opened by the agent.
 *
 *   POST /agent/v1/session         SessionRequest → SessionResponse     once; a repeat with the same key answers the same
 *                                  or, as JSON lines: ProvisionalWork, and later SessionConfirmation
 *   POST /agent/v1/events          EventsRequest → EventsResponse       Authorization: Bearer <key>
 *   GET  /agent/v1/commands        held open; one JSON line per AgentCommand, an empty line every 15 s
 *   POST /agent/v1/check-results   CheckResultsRequest → {}
 *
 * 401 means the session is over (another attempt took its place): the agent ends everything and exits. Any
 * other failure is retried with jittered back-off until the plan's end plus ten minutes.
 */
export interface SessionRequest {
  /**
   * 32 random bytes, base64url, chosen by the agent; the gateway keeps its SHA-256. It is the Bearer token
   * from then on.
   */
  key: string;
  pod: { namespace: string; name: string; uid: string };
  /**
   * At least one: a single-use nonce from the agent's environment, a projected service-account token bound to
   * the Pod.
   */
  nonce?: string;
  token?: string;
}

export type SessionResponse = { work: 'build'; plan: Plan } | { work: 'checks'; run: CheckRun };

/**
 * Work without secrets, handed out while the API server does not yet show the Pod's address: it may begin,
 * but there is no session to report it in until the second line confirms it. A refusal ends what has begun.
 */
export type ProvisionalWork = SessionResponse & { provisional: true };

/** `status`: what the request would have been answered with. */
export type SessionConfirmation = { confirmed: true } | { confirmed: false; status: number };

export interface EventsRequest {
  events: BuildEvent[];
}

export interface EventsResponse {
  /** Every event up to this number is durable. A `put` starts only after its `step-started` is. */
  acknowledged: number;
  /** Set when the build is being cancelled: the answer carries it too, should the command stream be down. */
  cancel?: boolean;
}

export type AgentCommand = { command: 'cancel' };

export interface CheckResult {
  scope: string;
  /** Oldest first. Absent when the check failed. */
  versions?: Record<string, string>[];
  /** How many older versions the check named beside them, more than one check may bring. */
  cut?: number;
  /** Why it failed, with the first bytes of bad output. Masked. */
  error?: string;
  /** Last output (stderr), masked, at most 64 KiB. */
  log: string;
}

/** What came of one hook. */
export interface HookResult {
  /** Row id of the version that fired it, decimal. */
  version: string;
  job: string;
  hook: string;
  /** Why it failed, or was not run. Masked. */
  error?: string;
  /** The end of what it printed, masked. */
  output: string;
}

export interface CheckResultsRequest {
  results: CheckResult[];
  /** Of a run of hooks, all of them at once. */
  hooks?: HookResult[];
  /** The last request of the run. */
  done: boolean;
}

/**
 * Environment of the agent container, set by the operator. Nothing here is secret but the nonce, which works
 * once.
 */
export const AGENT_ENVIRONMENT = {
  gateway: 'MILLRACE_GATEWAY',
  certificateAuthority: 'MILLRACE_GATEWAY_CA',
  nonce: 'MILLRACE_NONCE',
  tokenFile: 'MILLRACE_TOKEN_FILE',
  podName: 'MILLRACE_POD_NAME',
  podNamespace: 'MILLRACE_POD_NAMESPACE',
  podUid: 'MILLRACE_POD_UID',
  shimPort: 'MILLRACE_SHIM_PORT',
  /**
   * Names of the Pod's step containers, with commas: all of them are told when the work is over, even if
   * there was none.
   */
  containers: 'MILLRACE_CONTAINERS',
  /**
   * Folder shared with foreign images into which the agent copies the shim; unset when all steps use the
   * worker image.
   */
  shimFolder: 'MILLRACE_SHIM_FOLDER',
  /**
   * Random bytes, base64url; the key of container c is HMAC-SHA256(shimSecret, c), hex, in that container's
   * MILLRACE_SHIM_KEY.
   */
  shimSecret: 'MILLRACE_SHIM_SECRET',
} as const;
