import type { SessionResponse } from '#domain/build/agent-protocol.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import type { AgentPod } from '#domain/build/judge-agent-pod.ts';
import type { BuildRef } from '#flows/names.ts';

/* What opening the session of an agent needs from outside, and what it answers. */

/** The API server gave no answer, which says nothing about the agent: it tries again. */
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
  /** No token that the API server bound to a Pod of ours. */
  | { answer: 'unknown' }
  | Unavailable;

/** The Pods of agents, as the API server knows them. */
export interface AgentPods {
  find(pod: PodName): Promise<PodAnswer>;
  /** Whose a projected token is. */
  ofToken(token: string): Promise<TokenAnswer>;
  /** The same build and attempt always have the same Pod name. */
  nameForBuild(build: BuildRef & { id: number; attempt: number }): string;
  nameForChecks(pipeline: string, run: number): string;
}

/** Keys are by the name of the placeholder: `<secret>/<key>`. */
export type SecretsAnswer =
  | { answer: 'read'; values: Map<string, string> }
  /** A sentence for each name that has no value. */
  | { answer: 'missing'; reasons: string[] }
  | Unavailable;

/** Values of Secrets in the namespace of a team. Nothing of them is kept. */
export interface TeamSecrets {
  read(namespace: string, names: string[]): Promise<SecretsAnswer>;
}

export interface AgentCredentials {
  /** The work that a nonce was signed for; undefined when we did not sign it. */
  workOf(nonce: string): AgentSession | undefined;
  /** What the database keeps of an agent's key. */
  hashOf(key: string): string;
}

export interface AddressWait {
  /** Monotonic, in milliseconds. */
  elapsed: () => number;
  sleep: (milliseconds: number) => Promise<void>;
  /** How long the kubelet may take to report the address of a Pod whose agent already calls. */
  maxWaitMs?: number;
  waited?: (seconds: number) => void;
}

export type AgentSessionAnswer =
  | { answer: 'opened'; session: AgentSession; response: SessionResponse }
  /** The same key again: its first answer was lost. */
  | { answer: 'same'; session: AgentSession; response: SessionResponse }
  /**
   * The credential is not ours, or the Pod is another one. The reason is for the log, never for the caller.
   */
  | { answer: 'refused'; reason: string }
  /** Another key used the credential: the build has been failed. */
  | { answer: 'taken'; session: AgentSession }
  | { answer: 'over' }
  /** Something is not there yet; the agent tries again. */
  | { answer: 'not-yet'; reason: string };

export interface SessionStore {
  /**
   * `same`: this key opened it before. `taken`: another key did, which is an alarm. `over`: the attempt or
   * run has ended.
   */
  openSession(
    session: AgentSession,
    keyHash: string,
    podUid: string,
    at: Date,
  ): Promise<'opened' | 'same' | 'taken' | 'over'>;
  sessionOf(keyHash: string): Promise<AgentSession | undefined>;
}
