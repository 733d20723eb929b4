import type { Operation } from '#domain/planning/operations.ts';
import type { SecretGet } from '#domain/planning/plan-secret-gets.ts';
import type { CheckRun, Plan } from '#domain/planning/plan.ts';
import type { DebugEnd, DebugInput, TerminalSize } from './debug-session.ts';
import type { BuildEvent } from './events.ts';
import type { SecretOutput } from './parse-secret-output.ts';

/*
 * The agent's side of the internal gateway: JSON over HTTPS. The agent opens every connection. Every request
 * except the SessionRequest needs the header `Authorization: Bearer <key>`, with the key of the
 * SessionRequest.
 *
 *   POST /agent/v1/session         SessionRequest → SessionResponse     once; a repeat gets the same answer.
 *                                  Or JSON lines: ProvisionalWork, and later SessionConfirmation
 *   POST /agent/v1/events          EventsRequest → EventsResponse
 *   GET  /agent/v1/commands        held open; one JSON line per AgentCommand, an empty line every 15 s
 *   GET  /agent/v1/work            held open by a warm Pod; one JSON line: its AgentWork, once taken
 *   POST /agent/v1/secrets         SecretsRequest → SecretsResponse     when an operation with secrets starts
 *   POST /agent/v1/check-results   CheckResultsRequest → {}
 *   POST /agent/v1/identity-tokens IdentityTokensRequest → IdentityTokensResponse
 *   POST /agent/v1/debug           DebugExchange → DebugWork            when people may have opened shells
 *
 * 401 means that the session is over, usually because a newer attempt has replaced the attempt of this
 * session: the agent stops all commands and exits. It does not retry a request that the gateway would refuse
 * again (400, 413, 415, 422). It retries after any other failure with jittered back-off, for a build up to
 * ten minutes after the plan has ended or timed out.
 */

/** What an agent sends to open its session. */
export interface SessionRequest {
  /**
   * 32 random bytes in base64url, which the agent generates. The agent sends the key as Bearer token of its
   * later requests. The gateway stores only the SHA-256 of the key.
   */
  key: string;
  pod: { namespace: string; name: string; uid: string };
  /**
   * The request has at least one of `nonce` and `token`. The nonce comes from the agent's environment and can
   * be used once. The token is a projected service-account token that is bound to the Pod.
   */
  nonce?: string;
  token?: string;
  /** CPU architecture of the Pod's node, spelled as in image manifests, such as `arm64`. Absent: amd64. */
  architecture?: string;
}

/** The work of a Pod's agent: one build, or one run of checks, hooks or notifications. */
export type AgentWork = { work: 'build'; plan: Plan } | { work: 'checks'; run: CheckRun };

/** `wait`: the Pod is warm and no build has taken it, so the agent waits for work at `/agent/v1/work`. */
export type SessionResponse = AgentWork | { work: 'wait' };

/** Requests one operation with the values of its secrets. The plan has only placeholders for these values. */
export interface SecretsRequest {
  /** Id of a step, hook, service or notification, or the scope of a check. */
  operation: string;
  /** The results of the gets in earlier `run` answers, by the name of the secret. */
  given?: Record<string, SecretOutput>;
}

/**
 * `run`: the agent runs these gets, adds their results to `given` and repeats its request. `wait`: a secret
 * store did not answer, so the agent tries again later. `reason` is one or more sentences.
 */
export type SecretsResponse =
  | {
      answer: 'filled';
      /** The operation without its hooks. It has the values of its secrets, or a `refusal`. */
      operation: Operation;
      /** The agent masks these values in everything that it sends from now on. */
      masks: string[];
    }
  | { answer: 'run'; gets: SecretGet[]; masks: string[] }
  | { answer: 'wait'; reason: string };

/**
 * Work that the gateway hands out before the API server shows the IP address of the Pod, so before the
 * gateway can verify the agent. The agent may start the work, but cannot report until a SessionConfirmation
 * confirms the session. If the gateway refuses the session, the agent stops what it has started.
 */
export type ProvisionalWork = AgentWork & { provisional: true };

/** `status`: HTTP status of the refusal. */
export type SessionConfirmation = { confirmed: true } | { confirmed: false; status: number };

export interface EventsRequest {
  events: BuildEvent[];
}

export interface EventsResponse {
  /**
   * The gateway has stored every event up to this sequence number. The agent starts a `put` only after the
   * `step-started` event of the put is stored.
   */
  acknowledged: number;
  /**
   * The build is being cancelled. The response repeats this, because the agent misses the command `cancel` if
   * its command stream is interrupted.
   */
  cancel?: boolean;
}

/**
 * `debug`: a person opened or closed a shell, or typed something. The agent fetches the details with POST
 * /agent/v1/debug.
 */
export type AgentCommand = { command: 'cancel' } | { command: 'debug' };

/**
 * The agent's report about all shells in the build. Inputs and outputs are numbered, so that a repeated
 * request changes nothing. The answer says up to which number the gateway has stored the output, and the next
 * request says up to which number the shell has read the input.
 */
export interface DebugExchange {
  sessions: DebugReport[];
}

export interface DebugReport {
  id: number;
  /** Number of the last input that the shell has read. */
  received: number;
  /** `data`: masked text in UTF-8, encoded in base64. */
  output: { sequence: number; data: string }[];
  /** How the shell ended. Absent: the shell still runs, or the gateway has not stored all its output. */
  end?: DebugEnd;
}

/** All shells that should run in the build. The agent ends every shell that is not in this list. */
export interface DebugWork {
  sessions: DebugSessionWork[];
}

export interface DebugSessionWork {
  id: number;
  /** Id of the step. */
  step: string;
  openedBy: string;
  /** Empty: the first of `bash` and `sh` that exists. */
  command: string[];
  /** Size of the person's terminal. Absent: the input and output of the shell are not a terminal. */
  terminal?: TerminalSize;
  /** Number of the last output that is stored. */
  received: number;
  input: ({ sequence: number } & DebugInput)[];
}

/**
 * The agent requests identity tokens before each command of a step or hook, if the plan of the build has
 * `identity`. Notifications and programs of a protocol get none.
 */
export interface IdentityTokensRequest {
  step: string;
  /** Timeout of the step, in seconds. Absent: the step has none. */
  seconds?: number;
}

/** The tokens by the name of their environment variable, or a sentence that says why there are none. */
export type IdentityTokensResponse = { tokens: Record<string, string> } | { refused: string };

/** The result of one check. */
export interface CheckResult {
  /** Row id of the check scope, in decimal digits. */
  scope: string;
  /** The versions that the check found, oldest first. Absent: the check failed. */
  versions?: Record<string, string>[];
  /** Number of older versions that were left out, because the check printed too many. */
  cut?: number;
  /** Why the check failed. Quotes the start of output that cannot be parsed. Masked. */
  error?: string;
  /** The end of stderr, masked, at most 64 KiB. */
  log: string;
}

/** The result of one hook. */
export interface HookResult {
  /**
   * Row id of the version that the hook ran for, in decimal digits. For a notification: `HookPlan.version`.
   */
  version: string;
  job: string;
  hook: string;
  /** Why the hook failed or did not run. Masked. */
  error?: string;
  /** The end of the hook's output, masked. */
  output: string;
}

export interface CheckResultsRequest {
  results: CheckResult[];
  /** The results of all hooks of a run of hooks. Absent in a run of checks. */
  hooks?: HookResult[];
  /** This is the last request of the run. */
  done: boolean;
}

/** Environment of the agent container, set by the operator. Only the nonce and the shim secret are secret. */
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
   * Names of the Pod's step containers, separated by commas. The agent ends all these containers, even those
   * in which no command ran.
   */
  containers: 'MILLRACE_CONTAINERS',
  /**
   * Folder into which the agent copies the shim for images that lack it. Unset: all steps use the worker
   * image.
   */
  shimFolder: 'MILLRACE_SHIM_FOLDER',
  /**
   * Random bytes in base64url. The shim of the container `c` has the key HMAC-SHA256(shimSecret, c), in hex,
   * in its variable MILLRACE_SHIM_KEY.
   */
  shimSecret: 'MILLRACE_SHIM_SECRET',
} as const;
