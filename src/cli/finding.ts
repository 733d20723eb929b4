import type { Diagnostic } from '#domain/language/diagnostic.ts';

/** An error or warning with its place in a file. */
export interface Finding {
  severity: 'error' | 'warning';
  /** A code of a diagnostic, or one of `OWN_CODES`. */
  code: string;
  message: string;
  help: string;
  file: string;
  place?: Place;
  /** The named blocks that contain the place, outermost first: `job "deploy"`, `put "git" "app"`. */
  blocks?: string[];
}

/** Lines and columns count from 1; a column is a grapheme. The end is exclusive. */
export interface Place {
  start: Spot;
  end: Spot;
}

export interface Spot {
  line: number;
  column: number;
}

/** Codes of the command line itself, for files and manifests. */
export const OWN_CODES = {
  'invalid-manifest': {
    severity: 'error',
    meaning:
      'The file is not YAML, its Pipeline is invalid for the API server, ' +
      'or something that the command needs is missing.',
  },
  'invalid-source': {
    severity: 'error',
    meaning: '`millrace convert` cannot read the pipeline of the other system.',
  },
  'no-counterpart': {
    severity: 'warning',
    meaning: '`millrace convert` left something out or changed it. A comment in the output marks the place.',
  },
  'no-pipeline': { severity: 'warning', meaning: 'The file has no Pipeline.' },
} as const;

export const isErrorFinding = ({ severity }: Pick<Diagnostic, 'severity'>): boolean => severity === 'error';

export const pluralize = (number: number, singular: string): string =>
  `${number} ${number === 1 ? singular : `${singular}s`}`;
