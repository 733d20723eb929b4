export interface CodeEntry {
  severity: 'error' | 'warning';
  /** What the code means, for the reference. */
  meaning: string;
  /** What to do. A diagnostic may replace this by a more exact sentence. */
  help: string;
}

export const error = (meaning: string, help: string): CodeEntry => ({ severity: 'error', meaning, help });
export const warning = (meaning: string, help: string): CodeEntry => ({ severity: 'warning', meaning, help });
