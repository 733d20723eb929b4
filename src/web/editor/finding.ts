/** What the API found in a text, with its place. */
export interface TextFinding {
  severity: 'error' | 'warning';
  line?: number;
  column?: number;
  /** The place after the last character. */
  end_line?: number;
  end_column?: number;
  /** The named blocks that contain the place, outermost first. */
  blocks?: string[];
  message: string;
  help?: string;
}
