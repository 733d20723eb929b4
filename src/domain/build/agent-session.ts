/** What an agent's key authorizes: one attempt of a build, or one check run. */
export type WorkSession = { kind: 'build'; build: number; attempt: number } | { kind: 'checks'; run: number };

/** `warm`: its Pod waits for a build. The key only waits for work. Row id. */
export type AgentSession = WorkSession | { kind: 'warm'; warm: number };
