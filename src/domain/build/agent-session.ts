/** The identity of an agent: its key speaks for one attempt of a build, or for one check run. */
export type AgentSession =
  { kind: 'build'; build: number; attempt: number } | { kind: 'checks'; run: number };
