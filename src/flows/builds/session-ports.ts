import type { SessionResponse } from '#domain/build/agent-protocol.ts';
import type { AgentSession, WorkSession } from '#domain/build/agent-session.ts';
import type { AgentPod } from '#domain/build/judge-agent-pod.ts';
import type { SecretLookup } from '#domain/planning/next-lookups.ts';
import type { BuildRef } from '#flows/names.ts';
import type { AttemptRef } from './ports.ts';

/* What the flow that opens an agent's session needs from outside, and its answers. */

/**
 * Something that the answer needs cannot be read now, such as a Pod in the API server or a key. The agent
 * tries again.
 */
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
  /** The API server does not confirm that the token belongs to a Pod that runs an agent. */
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

/** The keys are the names of secrets, as in the lookups and in the placeholders of the definition. */
export type SecretsAnswer =
  | {
      answer: 'read';
      values: Map<string, string>;
      /** Names whose values are not secrets, so they are not masked. */
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

/** Reads the secrets of a team, wherever they are stored. Values are not cached. */
export interface TeamSecrets {
  read(owner: SecretOwner, lookups: readonly SecretLookup[]): Promise<SecretsAnswer>;
}

export interface AgentCredentials {
  /** The work that a nonce was signed for; undefined if Millrace did not sign the nonce. */
  workOf(nonce: string): AgentSession | undefined;
  /** The hash of an agent's key that is stored in the database. */
  hashOf(key: string): string;
}

export interface AddressWait {
  /** Monotonic milliseconds. */
  elapsed: () => number;
  sleep: (milliseconds: number) => Promise<void>;
  /** How long to wait for the kubelet to report the Pod's address, once its agent has called. */
  maxWaitMs?: number;
  /** Called with how long the wait took, unless the API server did not answer. */
  waited?: (seconds: number) => void;
}

export type AgentSessionAnswer =
  | { answer: 'opened'; session: AgentSession; response: SessionResponse }
  /** The same key again: the agent did not receive the first answer. */
  | { answer: 'same'; session: AgentSession; response: SessionResponse }
  /**
   * The credential is not from Millrace or not for this Pod, or the Pod is ending. The reason is for the log
   * only.
   */
  | { answer: 'refused'; reason: string }
  /** Another key used the credential, so the build, the check run or the waiting warm Pod has failed. */
  | { answer: 'taken'; session: AgentSession }
  | { answer: 'over' }
  /** Something that the session needs does not exist yet, or cannot be read now. The agent tries again. */
  | { answer: 'not-yet'; reason: string };

/**
 * `not-yet`: the operator has not recorded the Pod. `taken`: another key opened the session. `build`: the
 * build that had already taken the Pod, if any. `over`: no warm Pod with this uid waits.
 */
export type WarmOpened =
  | { answer: 'opened' | 'same' | 'not-yet' | 'over' }
  | { answer: 'taken'; build?: AttemptRef };

export interface SessionStore {
  /**
   * `same`: this key opened the session before. `taken`: another key opened the session, or another Pod is
   * recorded for the work. Both mean that somebody has copied the credential. `over`: the attempt or run has
   * ended, or the attempt has not had its turn or is not the current one.
   */
  openSession(
    session: WorkSession,
    keyHash: string,
    podUid: string,
    at: Date,
  ): Promise<'opened' | 'same' | 'taken' | 'over'>;
  /**
   * Once a build has taken a warm Pod, the key of that Pod has the session of the build. The session outlives
   * its work, so that the agent can send its last events again; every flow asks whether the work has ended.
   */
  sessionOf(keyHash: string): Promise<AgentSession | undefined>;
  /** The session of a Pod that waits for a build. */
  openWarm(warm: number, keyHash: string, podUid: string): Promise<WarmOpened>;
  /** Records that the agent of the warm Pod listens, and that its step containers are connected. */
  warmReady(warm: number, at: Date): Promise<void>;
  /** Counts tokens before they are issued. `over`: the attempt has ended. */
  countIdentityTokens(
    attempt: AttemptRef,
    limit: { count: number; max: number },
  ): Promise<'counted' | 'too-many' | 'over'>;
}
