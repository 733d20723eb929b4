/** What the API found in a text, with its place. */
export interface TextFinding {
  severity: 'error' | 'warning';
  line?: number;
  column?: number;
  /** After the last character. */
  end_line?: number;
  end_column?: number;
  /** The named blocks that hold the place, outermost first. */
  blocks?: string[];
  message: string;
  help?: string;
}
