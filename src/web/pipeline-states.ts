import { useEffect, useState } from 'preact/hooks';
import { onAnnouncedEvent } from './announced-events.ts';
import type { PipelineEventData } from './graph/pipeline-state.ts';
import { fetchState } from './pipeline-requests.ts';

/** How long a page waits for the stream before it requests the states from the API. */
const TIMEOUT_MS = 1000;

/** The newest state of the stream, or of the API if the stream sends none in time. */
export async function findState(pipeline: string): Promise<PipelineEventData> {
  const { promise, resolve, reject } = Promise.withResolvers<PipelineEventData>();
  const stop = onAnnouncedEvent('pipeline', (data) => resolve(JSON.parse(data)));
  const late = setTimeout(() => void fetchState(pipeline).then(resolve, reject), TIMEOUT_MS);
  try {
    return await promise;
  } finally {
    stop();
    clearTimeout(late);
  }
}

/** The newest state. Begins with the state that is known. */
export function usePipelineState(known: PipelineEventData): PipelineEventData {
  const [state, setState] = useState(known);
  useEffect(() => onAnnouncedEvent('pipeline', (data) => setState(JSON.parse(data))), []);
  return state;
}
