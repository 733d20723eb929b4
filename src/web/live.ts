/*
 * Live updates of a page: events refresh its parts. Pages also work without this file.
 */
import { followEvents } from './follow-events.ts';
import { morph } from './morph.ts';
import { overhearEvents, REFUSED } from './overhear-events.ts';
import { REFRESH_MS } from './refresh.ts';
import { sendActionsByScript } from './send-forms.ts';
import { keepTimesCurrent } from './show-times.ts';

const RETRY_MS = 5000;

/* Only the server renders the parts that change: after an event, the page is fetched again. */
let refreshing = false;
let again = false;

function refresh(): void {
  if (refreshing) {
    again = true;
    return;
  }
  refreshing = true;
  setTimeout(() => void replaceLive().catch(refreshLater).then(refreshed), REFRESH_MS);
}

/**
 * The server did not answer with a page. It does not repeat events that the page missed, so the page does not
 * wait for one.
 */
function refreshLater(): void {
  setTimeout(refresh, RETRY_MS);
}

function refreshed(): void {
  refreshing = false;
  if (!again) return;
  again = false;
  refresh();
}

/** The viewer was signed out, or the page is gone. */
function isOver({ redirected, status }: Response): boolean {
  return redirected || status === 403 || status === 404;
}

async function replaceLive(): Promise<void> {
  const here = document.getElementById('live');
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (isOver(answer)) location.reload();
  if (answer.redirected) return;
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const there = page.getElementById('live');
  if (here === null || there === null) return;
  // Screen readers announce changes of this element, so it must not be replaced.
  replaceStatus(page);
  morph(here, there);
  const picture = document.getElementById('picture');
  if (picture instanceof HTMLImageElement) picture.src = `${picture.src.split('?at=')[0]}?at=${Date.now()}`;
}

function replaceStatus(page: Document): void {
  const [here, there] = [document.getElementById('status'), page.getElementById('status')];
  if (here !== null && there !== null && here.textContent !== there.textContent)
    here.replaceChildren(...there.childNodes);
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
// The script of a page may follow the events itself.
if (events !== undefined) listen(events);
else for (const name of ['build', 'end', REFUSED]) overhearEvents(name, refresh);
