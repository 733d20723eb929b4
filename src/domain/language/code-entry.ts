/** What the reference says about a code of diagnostics. */
export interface CodeEntry {
  severity: 'error' | 'warning';
  /** What the code means, for the reference. */
  meaning: string;
  /** What to do about it. A diagnostic can replace this by a more exact sentence. */
  help: string;
}

export const error = (meaning: string, help: string): CodeEntry => ({ severity: 'error', meaning, help });
export const warning = (meaning: string, help: string): CodeEntry => ({ severity: 'warning', meaning, help });
