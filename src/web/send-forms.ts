import { morph } from './morph.ts';
import { hideNotice, showNotice } from './notice.ts';

/**
 * Sends the buttons of pages (forms of the class `action`) without loading the page again: the page stays
 * where it is and shows what changed, and a refusal appears above it in the words of the server. Other forms,
 * and buttons that lead to another page, load pages as without scripts.
 */
export function sendActionsByScript(): void {
  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event;
    if (!(form instanceof HTMLFormElement) || !form.matches('form.action[method=post]')) return;
    event.preventDefault();
    if (form.ariaBusy === 'true') return;
    form.ariaBusy = 'true';
    hideNotice();
    void send(form, submitter)
      .catch(() => showNotice('The server did not answer. Check the connection, and try again.'))
      .finally(() => (form.ariaBusy = null));
  });
}

async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter))
    if (typeof value === 'string') body.append(name, value);
  const answer = await fetch(form.action, { method: 'POST', headers: { accept: 'text/html' }, body });
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const refusal = refusalOf(form, answer, page);
  if (refusal !== undefined) showNotice(refusal);
  else if (!answer.redirected) showPage(page);
  else if (isThisPage(answer.url) && showSent(form, page))
    history.replaceState(history.state, '', answer.url);
  else location.assign(answer.url);
}

/** Why the server did nothing, in words; undefined if it did what the button says. */
function refusalOf(form: HTMLFormElement, answer: Response, page: Document): string | undefined {
  const signsOut = new URL(form.action).pathname.startsWith('/auth/');
  if (answer.redirected && isSignIn(answer.url) && !signsOut) return SIGNED_OUT;
  if (answer.ok) return undefined;
  return page.querySelector('[role=alert]')?.textContent ?? `The server answered ${answer.status}.`;
}

const SIGNED_OUT =
  'Your session has ended, so nothing was done. Copy what you have typed, then load this page again to sign in.';

const isSignIn = (url: string): boolean => new URL(url).pathname === '/auth/login';

/** What was typed into the form has been sent, so the page shows what the server has now. */
function showSent(form: HTMLFormElement, page: Document): boolean {
  form.reset();
  return showPart(page);
}

const isThisPage = (url: string): boolean => new URL(url).pathname === location.pathname;

/** Replaces what live updates replace, or else the whole content. False if the pages are too different. */
function showPart(page: Document): boolean {
  for (const id of ['status', 'live', 'main']) {
    const [here, there] = [document.getElementById(id), page.getElementById(id)];
    if ((here === null) !== (there === null)) return false;
    if (here === null || there === null) continue;
    morph(here, there);
    if (id === 'live') return true;
  }
  return true;
}

/** Shows a page that the server sent as the answer itself, such as a new token: its address stays this one. */
function showPage(page: Document): void {
  document.title = page.title;
  const [here, there] = [document.getElementById('main'), page.getElementById('main')];
  if (here === null || there === null) return;
  morph(here, there);
  here.focus();
}
