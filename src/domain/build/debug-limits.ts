/** Limits of shells that people open in running steps. */
export const DEBUG_LIMITS = {
  /** Open sessions of one build. */
  sessions: 2,
  /** Without input. */
  idleMs: 30 * 60_000,
  /** Until the agent answers. */
  openingMs: 60_000,
  /** Without a stream that reads the output. */
  awayMs: 2 * 60_000,
  /** Of one input or output. */
  messageBytes: 48 * 1024,
  /** Of input that the shell has not read, and of output that the terminal has not received. */
  backlogBytes: 512 * 1024,
  /** Words of a command, and characters of all. */
  words: 100,
  commandCharacters: 16 * 1024,
  columns: 1000,
} as const;

/** Characters of a message in base64. */
export const MAX_DEBUG_DATA = (DEBUG_LIMITS.messageBytes / 3) * 4;
