/** Limits of the shells that people open in running steps (debug sessions). */
export const DEBUG_LIMITS = {
  /** Number of open sessions in one build. */
  sessions: 2,
  /** A session ends after this time without input. */
  idleMs: 30 * 60_000,
  /** A session ends if the agent does not answer within this time. */
  openingMs: 60_000,
  /** A session ends if no terminal has read its output for this time. */
  awayMs: 2 * 60_000,
  /** Size of one input or output. */
  messageBytes: 48 * 1024,
  /**
   * Limit for input that the shell has not read yet, and for output that the terminal has not received yet.
   */
  backlogBytes: 512 * 1024,
  /** Number of words in a command. `commandCharacters` limits the characters of all words together. */
  words: 100,
  commandCharacters: 16 * 1024,
  /** Number of columns, and number of rows, of a terminal. */
  columns: 1000,
} as const;

/** Limit for one message in base64, in characters. */
export const MAX_DEBUG_DATA = (DEBUG_LIMITS.messageBytes / 3) * 4;
