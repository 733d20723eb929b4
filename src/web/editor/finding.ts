/** What the API found in a text, with its place. */
export interface TextFinding {
  severity: 'error' | 'warning';
  /** Lines and columns count from 1. Without a line, the finding has no place in the text. */
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
