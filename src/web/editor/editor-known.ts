import type { KnownType } from './complete.ts';
import type { TextFinding } from './finding.ts';

/** What the server has written into the page for the editor. */
export interface EditorKnown {
  team: string;
  /** Absent: a new pipeline. */
  pipeline?: string;
  /** The text that the server has. */
  saved: string;
  /** The generation of the Pipeline with this text: a save must not overwrite a newer one. */
  generation?: number;
  vars: Readonly<Record<string, string>>;
  readOnly: boolean;
  types: readonly KnownType[];
}

/** Calls of the API as the person who views the page. */
export interface EditorApi {
  request<T>(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<T>;
  /** The HTTP status of an error response. Undefined if the server did not answer. */
  statusOf(error: unknown): number | undefined;
}

export interface CheckAnswer {
  valid: boolean;
  findings: TextFinding[];
  /** The graph as SVG. Absent if the text is not valid or the server refused to draw the graph. */
  picture?: string;
  /** Why the server drew no graph of a valid text. */
  picture_refused?: string;
}

/** Whether the pipeline runs its current text. */
export interface SaveAnswer {
  /** Absent: a manifest manages the pipeline. */
  ready?: boolean;
  /** The operator has not decided yet. */
  pending?: boolean;
  message?: string;
}

export interface DefinitionAnswer extends SaveAnswer {
  config: string;
  generation?: number;
}

export const teamPath = (team: string): string => `/teams/${encodeURIComponent(team)}/pipelines`;
export const pipelinePath = (team: string, pipeline: string): string =>
  `${teamPath(team)}/${encodeURIComponent(pipeline)}`;

/** The message for a viewer. `fetch` throws a TypeError if the server does not answer. */
export const failureMessage = (error: unknown): string =>
  error instanceof TypeError || !(error instanceof Error)
    ? 'The server did not answer. Check the connection, and try again.'
    : error.message;
