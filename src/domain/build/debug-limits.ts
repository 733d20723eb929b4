/** Limits of the shells that people open in running steps (debug sessions). */
export const DEBUG_LIMITS = {
  /** Maximum number of open sessions in one build. */
  sessions: 2,
  /** A session ends after this time without input. */
  idleMs: 30 * 60_000,
  /** A session ends if the agent does not answer within this time. */
  openingMs: 60_000,
  /** A session ends if its terminal neither reads output nor sends input for this time. */
  awayMs: 2 * 60_000,
  /** Maximum size of one input or output. */
  messageBytes: 48 * 1024,
  /**
   * Maximum size of the input that the shell has not read yet, and of the output that the terminal has not
   * received yet.
   */
  backlogBytes: 512 * 1024,
  /**
   * Maximum number of arguments of a command, with the program. `commandCharacters` limits all of them
   * together.
   */
  commandArguments: 100,
  commandCharacters: 16 * 1024,
  /** Maximum number of columns, and of rows, of a terminal. */
  terminalSide: 1000,
} as const;

/** Maximum size of one message in base64, in characters. */
export const MAX_DEBUG_DATA = (DEBUG_LIMITS.messageBytes / 3) * 4;
