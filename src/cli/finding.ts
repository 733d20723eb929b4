import type { Diagnostic } from '#domain/language/diagnostic.ts';

/** Something that is wrong or doubtful, where people find it: in a file of theirs. */
export interface Finding {
  severity: 'error' | 'warning';
  /** Of the catalogue of diagnostics, or of `OWN_CODES`. */
  code: string;
  message: string;
  help: string;
  file: string;
  place?: Place;
  /** The named blocks of the pipeline that hold the place, outermost first: `job "deploy"`, `put "git" "app"`. */
  blocks?: string[];
  /** Further places of which the same holds. */
  otherPlaces?: Place[];
}

/** Lines and columns from 1; a column is one letter as people see it. The end is behind the last letter. */
export interface Place {
  start: Spot;
  end: Spot;
}

export interface Spot {
  line: number;
  column: number;
}

/** What the command line finds before there is a pipeline to read. */
export const OWN_CODES = {
  'invalid-manifest': {
    severity: 'error',
    meaning:
      'The file is not YAML, its Pipeline is invalid for the API server, or something that the command needs is missing.',
  },
  'no-pipeline': { severity: 'warning', meaning: 'The file has no Pipeline.' },
} as const;

export const isError = ({ severity }: Pick<Diagnostic, 'severity'>): boolean => severity === 'error';

export const count = (number: number, one: string): string => `${number} ${number === 1 ? one : `${one}s`}`;
