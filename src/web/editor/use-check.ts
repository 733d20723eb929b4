import { useEffect, useRef, useState } from 'preact/hooks';
import {
  failureMessage,
  teamPath,
  type CheckAnswer,
  type EditorApi,
  type EditorKnown,
} from './editor-known.ts';
import type { TextFinding } from './finding.ts';
import { runLatest } from './run-latest.ts';

/** The pause after the last key before the text is checked. */
const QUIET_MS = 400;
/**
 * The pause before the next check if the server refused a check because of too many requests, had an error,
 * or did not answer.
 */
const AGAIN_MS = 3000;

export interface CheckState {
  /** The text that was checked last. Undefined: none yet, or the text is empty. */
  text: string | undefined;
  findings: readonly TextFinding[];
  /** The graph of the last valid text. */
  picture?: string;
  /** Why the server drew no graph of a valid text. */
  pictureRefused?: string;
  /** Why the newest text was not checked. */
  failure?: string;
}

const UNCHECKED: CheckState = { text: undefined, findings: [] };

/** Checks a text after the viewer has not typed for a moment. Sends one request at a time. */
export function useCheck(
  { team, vars, readOnly }: EditorKnown,
  text: string,
  api: EditorApi,
): { check: CheckState; checkAgain: () => void } {
  const [check, setCheck] = useState(UNCHECKED);
  const newest = useRef(text);
  newest.current = text;
  const ask = useRef<(text: string, wait?: number) => void>(undefined);
  ask.current ??= runLatest(async (config: string) => {
    if (config === '') return setCheck(UNCHECKED);
    try {
      const body = { config, vars, picture: true };
      const answer = await api.request<CheckAnswer>('POST', `${teamPath(team)}/validate`, body);
      setCheck((before) => stateAfter(config, answer, before));
    } catch (error) {
      setCheck((before) => ({ ...before, failure: failureMessage(error) }));
      if (mayRetryLater(api.statusOf(error))) ask.current?.(newest.current, AGAIN_MS);
    }
  }, QUIET_MS);
  useEffect(() => {
    if (!readOnly) ask.current?.(text);
  }, [text, readOnly]);
  return { check, checkAgain: () => ask.current?.(newest.current, 0) };
}

const mayRetryLater = (status: number | undefined): boolean =>
  status === undefined || status === 429 || status >= 500;

function stateAfter(
  text: string,
  { findings, picture, picture_refused }: CheckAnswer,
  before: CheckState,
): CheckState {
  if (picture !== undefined) return { text, findings, picture };
  if (picture_refused !== undefined) return { text, findings, pictureRefused: picture_refused };
  // The text is not valid, so the graph of the last valid text stays.
  return before.picture === undefined ? { text, findings } : { text, findings, picture: before.picture };
}
