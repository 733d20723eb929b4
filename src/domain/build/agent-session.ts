/**
 * The work that an agent's key authorizes: one attempt of a build, or one run of checks. The numbers `build`
 * and `run` are row ids.
 */
export type WorkSession = { kind: 'build'; build: number; attempt: number } | { kind: 'checks'; run: number };

/** `warm`: row id of a warm Pod. The key of its agent only authorizes waiting for work. */
export type AgentSession = WorkSession | { kind: 'warm'; warm: number };
