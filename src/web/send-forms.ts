import { morph } from './morph.ts';
import { hideNotice, showNotice } from './notice.ts';

/**
 * Sends forms of the class `action` (buttons of pages) without loading the page again. The page keeps its
 * position and shows what changed, or the message of a refusal. Other forms, and buttons that lead to another
 * page, load pages as they do without scripts.
 */
export function sendActionsByScript(): void {
  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event;
    if (!(form instanceof HTMLFormElement) || !form.matches('form.action[method=post]')) return;
    event.preventDefault();
    const body = bodyOf(form, submitter);
    const request = `${form.action}?${body}`;
    if (openRequests.has(request)) return;
    openRequests.add(request);
    form.ariaBusy = 'true';
    hideNotice();
    void send(form, body)
      .catch(() => showNotice('The server did not answer. Check the connection, and try again.'))
      .finally(() => {
        openRequests.delete(request);
        form.ariaBusy = null;
      });
  });
}

/**
 * The address and body of each form whose answer is pending. The element of the form cannot store this,
 * because a live update may turn it into another form.
 */
const openRequests = new Set<string>();
let actions = 0;

/**
 * How many answers to forms have arrived. A page that was fetched before the last of them may be out of date.
 */
export const countActions = (): number => actions;

function bodyOf(form: HTMLFormElement, submitter: HTMLElement | null): URLSearchParams {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter))
    if (typeof value === 'string') body.append(name, value);
  return body;
}

async function send(form: HTMLFormElement, body: URLSearchParams): Promise<void> {
  const answer = await fetch(form.action, { method: 'POST', headers: { accept: 'text/html' }, body });
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const refusal = refusalOf(form, answer, page);
  actions += 1;
  if (refusal !== undefined) showNotice(refusal);
  else if (!answer.redirected) showPage(page);
  else if (isThisPage(answer.url) && showSent(form, page))
    history.replaceState(history.state, '', answer.url);
  else location.assign(answer.url);
}

/** Why the server refused the form. Undefined: it did not. */
function refusalOf(form: HTMLFormElement, answer: Response, page: Document): string | undefined {
  const signsOut = new URL(form.action).pathname.startsWith('/auth/');
  if (answer.redirected && isSignIn(answer.url) && !signsOut) return SIGNED_OUT;
  if (answer.ok) return undefined;
  return page.querySelector('[role=alert]')?.textContent ?? `The server answered ${answer.status}.`;
}

const SIGNED_OUT =
  'Your session has ended, so nothing was done. Copy what you have typed, then load this page again to sign in.';

const isSignIn = (url: string): boolean => new URL(url).pathname === '/auth/login';

/**
 * Resets the form, because its values have been sent, and shows what the server has now. Returns false if the
 * page must be loaded instead.
 */
function showSent(form: HTMLFormElement, page: Document): boolean {
  form.reset();
  return showPart(page);
}

const isThisPage = (url: string): boolean => new URL(url).pathname === location.pathname;

/**
 * Replaces the status and the part that live updates replace. If there is no such part, replaces the whole
 * content. Returns false if the pages differ too much.
 */
function showPart(page: Document): boolean {
  for (const id of ['status', 'live', 'main']) {
    const [current, fetched] = [document.getElementById(id), page.getElementById(id)];
    if ((current === null) !== (fetched === null)) return false;
    if (current === null || fetched === null) continue;
    morph(current, fetched);
    if (id === 'live') return true;
  }
  return true;
}

const BREADCRUMBS = 'nav.where';

/** The state of a history entry that shows a response. */
const ANSWER_STATE = { isAnswer: true };
const isAnswerState = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && 'isAnswer' in state;

/**
 * Shows a page that is the response itself, such as the list of the builds that a version has started. The
 * address stays the same, and Back loads the page that had the form.
 */
function showPage(page: Document): void {
  const { hash } = location;
  history.pushState(ANSWER_STATE, '');
  addEventListener('popstate', ({ state }: PopStateEvent) => {
    // Links inside the shown page, such as the skip link, only change the hash. They need no reload.
    if (!isAnswerState(state) && location.hash === hash) location.reload();
  });
  document.title = page.title;
  const [current, fetched] = [document.getElementById('main'), page.getElementById('main')];
  if (current === null || fetched === null) return;
  morph(current, fetched);
  document.querySelector(BREADCRUMBS)?.remove();
  current.before(...page.querySelectorAll(BREADCRUMBS));
  current.focus();
}
