import type { SessionResponse } from '#domain/build/agent-protocol.ts';
import type { AgentSession, WorkSession } from '#domain/build/agent-session.ts';
import type { AgentPod } from '#domain/build/judge-agent-pod.ts';
import type { SecretLookup } from '#domain/planning/next-lookups.ts';
import type { BuildRef } from '#flows/names.ts';
import type { AttemptRef } from './ports.ts';

/* What opening an agent's session needs from outside, and its answers. */

/** The API server did not answer. The agent tries again. */
export interface Unavailable {
  answer: 'unavailable';
  reason: string;
}

export interface PodName {
  namespace: string;
  name: string;
}

export type PodAnswer = { answer: 'found'; pod: AgentPod } | { answer: 'absent' } | Unavailable;
export type TokenAnswer =
  | { answer: 'agent'; pod: PodName & { uid: string } }
  /** The API server bound no such token to a Pod of ours. */
  | { answer: 'unknown' }
  | Unavailable;

/** The Pods of agents in the API server. */
export interface AgentPods {
  find(pod: PodName): Promise<PodAnswer>;
  /** The Pod that a projected token belongs to. */
  ofToken(token: string): Promise<TokenAnswer>;
  /** The same build and attempt always have the same Pod name. */
  nameForBuild(build: BuildRef & { id: number; attempt: number }): string;
  nameForChecks(pipeline: string, run: number): string;
}

/** Keyed by the name in the placeholder. */
export type SecretsAnswer =
  | {
      answer: 'read';
      values: Map<string, string>;
      /** Names whose values are no secrets, so they are not masked. */
      plain?: ReadonlySet<string>;
      /** A sentence for each name without a value. */
      missing?: ReadonlyMap<string, string>;
    }
  | Unavailable;

/** Whose secrets are read. */
export interface SecretOwner {
  team: string;
  namespace: string;
  pipelineId: number;
}

/** Everything that secrets of a team are read from. Values are not cached. */
export interface TeamSecrets {
  read(owner: SecretOwner, lookups: readonly SecretLookup[]): Promise<SecretsAnswer>;
}

export interface AgentCredentials {
  /** The work that a nonce was signed for; undefined if the signature is not ours. */
  workOf(nonce: string): AgentSession | undefined;
  /** The hash of an agent's key that is stored in the database. */
  hashOf(key: string): string;
}

export interface AddressWait {
  /** Monotonic milliseconds. */
  elapsed: () => number;
  sleep: (milliseconds: number) => Promise<void>;
  /** Time for the kubelet to report the address of a Pod whose agent already calls. */
  maxWaitMs?: number;
  waited?: (seconds: number) => void;
}

export type AgentSessionAnswer =
  | { answer: 'opened'; session: AgentSession; response: SessionResponse }
  /** The same key again: the agent did not receive the first answer. */
  | { answer: 'same'; session: AgentSession; response: SessionResponse }
  /** The credential is not ours, or belongs to another Pod. The reason is for the log only. */
  | { answer: 'refused'; reason: string }
  /** Another key used the credential, so the build has been failed. */
  | { answer: 'taken'; session: AgentSession }
  | { answer: 'over' }
  /** Something does not exist yet. The agent tries again. */
  | { answer: 'not-yet'; reason: string };

/**
 * `not-yet`: the operator has not recorded the Pod. `taken`: another key did; `by`: the build that has the Pod. `over`:
 * no Pod of this uid waits here.
 */
export type WarmOpened =
  | { answer: 'opened' | 'same' | 'not-yet' | 'over' }
  | { answer: 'taken'; by?: AttemptRef };

export interface SessionStore {
  /**
   * `same`: this key opened it before. `taken`: another key did, which means a stolen credential. `over`: the
   * attempt or run has ended.
   */
  openSession(
    session: WorkSession,
    keyHash: string,
    podUid: string,
    at: Date,
  ): Promise<'opened' | 'same' | 'taken' | 'over'>;
  /** The key of a warm Pod belongs to its build once one has taken the Pod. */
  sessionOf(keyHash: string): Promise<AgentSession | undefined>;
  /** The session of a Pod that waits for a build. */
  openWarm(warm: number, keyHash: string, podUid: string): Promise<WarmOpened>;
  /** Its agent listens, and its step containers are connected. */
  warmReady(warm: number, at: Date): Promise<void>;
  /** Counts tokens before they are issued. `over`: the attempt has ended. */
  countIdentityTokens(
    attempt: AttemptRef,
    limit: { count: number; max: number },
  ): Promise<'counted' | 'too-many' | 'over'>;
}
