import { morph } from './morph.ts';
import { hideNotice, showNotice } from './notice.ts';
import { addressOf } from './search-address.ts';

/** How long the viewer must pause before the page asks the server. */
const PAUSE_MS = 250;

let timer: ReturnType<typeof setTimeout> | undefined;
let newestRequest = 0;
let showsFailure = false;

/** Replaces the list of versions with those that contain the text, once the viewer pauses. */
export function findAsTyped(field: HTMLInputElement): void {
  clearTimeout(timer);
  timer = setTimeout(() => void findNewest(field.value), PAUSE_MS);
}

/** Shows that the search failed, until a later one succeeds. */
async function findNewest(text: string): Promise<void> {
  newestRequest += 1;
  const request = newestRequest;
  const hasFailed = await find(text, request).then(
    () => false,
    () => true,
  );
  if (request !== newestRequest) return;
  if (hasFailed) showNotice('The search for versions failed. Change the text to try again.');
  else if (showsFailure) hideNotice();
  showsFailure = hasFailed;
}

async function find(text: string, request: number): Promise<void> {
  const url = addressOf(location.href, text);
  const answer = await fetch(url, { headers: { accept: 'text/html' } });
  // Ignores the answer if the viewer has typed more since the request, or was signed out.
  if (request !== newestRequest || answer.redirected) return;
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const [current, fetched] = [document.getElementById('versions'), page.getElementById('versions')];
  if (request !== newestRequest || current === null || fetched === null) return;
  morph(current, fetched);
  // Live updates fetch the page by its address, so the address must ask for the same versions.
  history.replaceState(history.state, '', url);
}
