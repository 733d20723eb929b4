/** What an agent's key authorizes: one attempt of a build, or one check run. */
export type AgentSession =
  { kind: 'build'; build: number; attempt: number } | { kind: 'checks'; run: number };
