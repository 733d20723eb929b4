/*
 * Shows the log of a build: viewers can fold its steps, search it, link to its lines, and follow it while the
 * build runs. The server renders all other parts of the page, and `live.ts` refreshes them.
 */
import { render } from 'preact';
import { requestApi } from './api.ts';
import type { LogChunk } from './build/build-log.ts';
import { readLineLink, writeLineLink } from './build/line-link.ts';
import type { ShownBuild } from './build/log-sections.ts';
import { LogState } from './build/log-state.ts';
import { LogViewer } from './build/log-viewer.tsx';
import { followEvents } from './follow-events.ts';
import { replaceServerContent } from './replace-server-content.ts';

/** How long the page waits for text before it draws an empty log. It may wait up to twice as long. */
const MAX_EMPTY_MS = 500;

const container = document.getElementById('log-viewer');
if (container !== null) void showLog(container);

async function showLog(element: HTMLElement): Promise<void> {
  const { url = '' } = element.dataset;
  const state = new LogState(logDrawer(element, `${url}/logs`, () => state));
  // If the request fails, the page still shows the text of the log.
  const build = await requestApi<ShownBuild>('GET', url).catch(() => undefined);
  if (build !== undefined) state.begin(build);
  goToHash(state);
  window.addEventListener('hashchange', () => goToHash(state));
  document.addEventListener('click', (event) => followStepLink(event, state));
  followEvents({
    url: () =>
      state.log.lastSequence === 0 ? `${url}/events` : `${url}/events?after=${state.log.lastSequence}`,
    on: {
      log: ({ data }) => {
        const chunk: LogChunk = JSON.parse(data);
        state.append(chunk);
      },
      build: ({ data }) => {
        const changedBuild: ShownBuild = JSON.parse(data);
        state.update(changedBuild);
      },
      end: () => state.complete(),
    },
  });
}

/**
 * Returns a function that draws the log, at most once in each frame. Until the log has text or is complete,
 * or `MAX_EMPTY_MS` has passed, the page shows what the server rendered.
 */
function logDrawer(element: HTMLElement, plainTextUrl: string, state: () => LogState): () => void {
  let version = 0;
  let isScheduled = false;
  const openedAt = performance.now();
  const draw = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      const { log, isComplete } = state();
      const isEmpty = log.lastSequence === 0 && !isComplete;
      if (isEmpty && performance.now() - openedAt < MAX_EMPTY_MS) {
        setTimeout(draw, MAX_EMPTY_MS);
        return;
      }
      const isFirst = version === 0;
      version += 1;
      const viewer = <LogViewer state={state()} plainTextUrl={plainTextUrl} version={version} />;
      if (isFirst) replaceServerContent(element, viewer);
      else render(viewer, element);
    });
  };
  return draw;
}

function goToHash(state: LogState): void {
  const link = readLineLink(location.hash);
  if (link !== undefined) state.goTo({ ...link, focus: true });
}

/** Makes the link of a step lead to the step's part of the log. Without scripts, it leads to the log. */
function followStepLink(event: MouseEvent, state: LogState): void {
  const { target } = event;
  const link = target instanceof Element ? target.closest<HTMLElement>('a[data-step]') : null;
  const { step: key } = link?.dataset ?? {};
  if (key === undefined) return;
  event.preventDefault();
  history.replaceState(null, '', writeLineLink({ key }));
  state.goTo({ key, focus: true });
}
