import { morph } from './morph.ts';
import { showNotice } from './notice.ts';
import { addressOf } from './search-address.ts';

/** How long the viewer must pause before the page asks the server. */
const PAUSE_MS = 250;

let timer: ReturnType<typeof setTimeout> | undefined;
let newestRequest = 0;

/** Replaces the list of versions with those that contain the text, once the viewer pauses. */
export function findAsTyped(field: HTMLInputElement): void {
  clearTimeout(timer);
  timer = setTimeout(() => void find(field.value).catch(showFailure), PAUSE_MS);
}

function showFailure(): void {
  showNotice('The search for versions failed. Change the text to try again.');
}

async function find(text: string): Promise<void> {
  newestRequest += 1;
  const request = newestRequest;
  const url = addressOf(location.href, text);
  const answer = await fetch(url, { headers: { accept: 'text/html' } });
  // Ignores the answer if the viewer has typed more meanwhile or was signed out.
  if (request !== newestRequest || answer.redirected) return;
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const [current, fetched] = [document.getElementById('versions'), page.getElementById('versions')];
  if (request !== newestRequest || current === null || fetched === null) return;
  morph(current, fetched);
  // Live updates fetch the page by its address, so the address must ask for the same versions.
  history.replaceState(history.state, '', url);
}
