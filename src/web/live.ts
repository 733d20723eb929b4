import { onAnnouncedEvent, REFUSED } from './announced-events.ts';
/*
 * Live updates of a page: when an event arrives, parts of the page are refreshed. Pages also work without
 * this file.
 */
import { followEvents } from './follow-events.ts';
import { leavePage } from './leave-page.ts';
import { morph } from './morph.ts';
import { REFRESH_MS } from './refresh.ts';
import { countActions, sendActionsByScript } from './send-forms.ts';
import { keepTimesCurrent } from './show-times.ts';

const RETRY_MS = 5000;

/* Only the server renders the parts that change, so after an event the page is fetched again. */
let isRefreshing = false;
let mustRefreshAgain = false;

/** Fetches the page again after a delay, and once more if another event arrives in the meantime. */
function refresh(): void {
  if (isRefreshing) {
    mustRefreshAgain = true;
    return;
  }
  isRefreshing = true;
  setTimeout(() => void replaceLive().catch(refreshLater).then(endRefresh), REFRESH_MS);
}

/**
 * Tries again after a failed fetch. Another event may not come, because the server does not repeat events.
 */
function refreshLater(): void {
  setTimeout(refresh, RETRY_MS);
}

function endRefresh(): void {
  isRefreshing = false;
  if (!mustRefreshAgain) return;
  mustRefreshAgain = false;
  refresh();
}

/** Whether the viewer was signed out or may no longer read the page, or the page no longer exists. */
function isOver({ redirected, status }: Response): boolean {
  return redirected || status === 403 || status === 404;
}

async function replaceLive(): Promise<void> {
  const current = document.getElementById('live');
  const { href } = location;
  const actions = countActions();
  const answer = await fetch(href, { headers: { accept: 'text/html' } });
  if (isOver(answer)) {
    leavePage();
    return;
  }
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  // The viewer has searched or pressed a button since the request, so this response may be older than that.
  if (location.href !== href || countActions() !== actions) {
    mustRefreshAgain = true;
    return;
  }
  const fetched = page.getElementById('live');
  if (current === null || fetched === null) return;
  // Screen readers announce changes inside this element, so the element itself must not be replaced.
  replaceStatus(page);
  morph(current, fetched);
  const picture = document.getElementById('picture');
  if (picture instanceof HTMLImageElement) picture.src = `${picture.src.split('?at=')[0]}?at=${Date.now()}`;
}

function replaceStatus(page: Document): void {
  const [current, fetched] = [document.getElementById('status'), page.getElementById('status')];
  if (current !== null && fetched !== null && current.textContent !== fetched.textContent)
    current.replaceChildren(...fetched.childNodes);
}

function listen(events: string): void {
  followEvents({
    url: () => events,
    on: {
      build: refresh,
      pipeline: refresh,
      end: refresh,
    },
    refused: refresh,
  });
}

keepTimesCurrent();
sendActionsByScript();
const { events } = document.body.dataset;
// If the page names no stream for this script, another script follows the stream and announces its events.
if (events !== undefined) listen(events);
else for (const name of ['build', 'end', REFUSED]) onAnnouncedEvent(name, refresh);
