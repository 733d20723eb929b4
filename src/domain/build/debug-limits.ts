/** Limits of shells that people open in running steps. */
export const DEBUG_LIMITS = {
  /** Open sessions of one build. */
  sessions: 2,
  /** A session ends after this time without input. */
  idleMs: 30 * 60_000,
  /** A session ends if the agent does not answer within this time. */
  openingMs: 60_000,
  /** A session ends after this time without a terminal that reads its output. */
  awayMs: 2 * 60_000,
  /** Size of one input or output. */
  messageBytes: 48 * 1024,
  /** Limit for input that the shell has not read, and for output that the terminal has not received. */
  backlogBytes: 512 * 1024,
  /** Words of a command. `commandCharacters` limits the characters of all its words. */
  words: 100,
  commandCharacters: 16 * 1024,
  /** Columns or rows of a terminal. */
  columns: 1000,
} as const;

/** Characters of a message in base64. */
export const MAX_DEBUG_DATA = (DEBUG_LIMITS.messageBytes / 3) * 4;
