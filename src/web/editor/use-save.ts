import { useEffect, useState } from 'preact/hooks';
import {
  failureMessage,
  pipelinePath,
  teamPath,
  type DefinitionAnswer,
  type EditorApi,
  type EditorKnown,
  type SaveAnswer,
} from './editor-known.ts';

/** The pipeline as the server has it. */
interface ServerText {
  /** Undefined: the pipeline does not exist yet. */
  pipeline: string | undefined;
  text: string;
  generation: number | undefined;
}

export interface SaveState {
  server: ServerText;
  isSaving: boolean;
  /** The result of the last save. */
  outcome: SaveOutcome | undefined;
}

interface SaveOutcome {
  good: boolean;
  /** The operator has not decided yet. */
  pending: boolean;
  message: string;
}

/** The pauses before the editor asks again whether the operator has decided. */
const MIN_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 15_000;

interface TextToSave {
  name: string;
  text: string;
}

/** Saves a text, unless someone else has changed the pipeline since it was read. */
export function useSave(
  { team, pipeline, saved, generation }: EditorKnown,
  api: EditorApi,
): SaveState & { save: (toSave: TextToSave) => Promise<void> } {
  const [state, setState] = useState<SaveState>({
    server: { pipeline, text: saved, generation },
    isSaving: false,
    outcome: undefined,
  });
  const readServer = async (name: string): Promise<ServerText> => serverText(name, await definition(name));
  const definition = async (name: string): Promise<DefinitionAnswer> =>
    await api.request('GET', `${pipelinePath(team, name)}/definition`);
  /**
   * Reads the saved text. If that fails, assumes that the server has the text that was sent, of an unknown
   * generation, so the next save cannot detect changes by others.
   */
  const readAfterSave = async (name: string, text: string): Promise<ServerText> => {
    try {
      return await readServer(name);
    } catch {
      return { pipeline: name, text, generation: undefined };
    }
  };
  const send = async ({ name, text }: TextToSave): Promise<SaveAnswer> => {
    const { server } = state;
    if (server.pipeline === undefined)
      return await api.request('POST', teamPath(team), { name, config: text });
    const body = { config: text, generation: server.generation };
    return await api.request('PUT', pipelinePath(team, server.pipeline), body);
  };
  /** After a conflict (409), reads the text of the server, so that the viewer can compare their changes. */
  const stateAfterFailure = async (error: unknown): Promise<Partial<SaveState>> => {
    const { pipeline: known } = state.server;
    const message = failureMessage(error);
    if (known === undefined || api.statusOf(error) !== 409) return { outcome: failed(message) };
    let { server } = state;
    try {
      server = await readServer(known);
    } catch {
      // The viewer sees the problem of the save instead.
    }
    const isChanged = server.generation !== state.server.generation;
    return { server, outcome: failed(isChanged ? `${message} ${COMPARE}` : message) };
  };
  useWaiting(state.outcome, async (outcome) => {
    const next = await decisionOn(state.server, definition, api);
    if (next === undefined || next.message === outcome.message) return;
    // Nothing changes if another save has begun.
    setState((now) => (now.outcome === outcome ? { ...now, outcome: next } : now));
  });
  return {
    ...state,
    async save(toSave) {
      if (state.isSaving) return;
      setState({ ...state, isSaving: true, outcome: undefined });
      const name = state.server.pipeline ?? toSave.name;
      let next: Partial<SaveState>;
      try {
        const outcome = outcomeOf(await send(toSave));
        next = { server: await readAfterSave(name, toSave.text), outcome };
      } catch (error) {
        next = await stateAfterFailure(error);
      }
      setState({ ...state, ...next, isSaving: false });
    },
  };
}

function serverText(pipeline: string, { config, generation }: DefinitionAnswer): ServerText {
  return { pipeline, text: config.replaceAll('\r\n', '\n'), generation };
}

function failed(message: string): SaveOutcome {
  return { good: false, pending: false, message };
}

const CHANGED =
  'The text is saved, and someone has changed the pipeline since. Load the page again to see its text.';
const COMPARE =
  'Your text is still here, and your changes are now compared with the text that the server has. ' +
  'If you save again, yours replaces it.';

/** What the operator has decided on the saved text by now. Undefined if the server cannot answer now. */
async function decisionOn(
  { pipeline = '', generation }: ServerText,
  read: (name: string) => Promise<DefinitionAnswer>,
  api: EditorApi,
): Promise<SaveOutcome | undefined> {
  try {
    const answer = await read(pipeline);
    const isSaved = generation === undefined || answer.generation === generation;
    return isSaved && answer.ready !== undefined ? outcomeOf(answer) : failed(CHANGED);
  } catch (error) {
    const status = api.statusOf(error) ?? 500;
    return status === 429 || status >= 500 ? undefined : failed(failureMessage(error));
  }
}

/**
 * While the operator has not decided and the page is visible, calls `ask` again and again. The pauses grow up
 * to `MAX_PAUSE_MS`.
 */
function useWaiting(outcome: SaveOutcome | undefined, ask: (outcome: SaveOutcome) => Promise<void>): void {
  useEffect(() => {
    if (outcome?.pending !== true) return undefined;
    let pauseMs = MIN_PAUSE_MS;
    let timer = setTimeout(() => void round(), pauseMs);
    let isOver = false;
    const round = async (): Promise<void> => {
      if (!document.hidden) await ask(outcome);
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
      if (!isOver) timer = setTimeout(() => void round(), pauseMs);
    };
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [outcome?.pending, outcome?.message]);
}

function outcomeOf({ ready = false, pending = false, message = '' }: SaveAnswer): SaveOutcome {
  if (ready) return { good: true, pending, message: 'The text is saved, and the pipeline runs it.' };
  const saved = pending
    ? 'The text is saved. The pipeline does not run it yet'
    : 'The text is saved, but the pipeline does not run it';
  return { good: false, pending, message: `${saved}: ${message}` };
}
