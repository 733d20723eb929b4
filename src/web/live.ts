/*
 * Live updates of a page: events refresh its parts, and logs grow as they are written. Pages also work
 * without this file.
 */
import { followEvents } from './follow-events.ts';
import { morph } from './morph.ts';
import { REFRESH_MS } from './refresh.ts';
import { sendActionsByScript } from './send-forms.ts';
import { keepTimesCurrent } from './show-times.ts';
import { AnsiParser, type Piece } from './terminal.ts';

const MAX_LOG_LINES = 20_000;

/* Only the server renders the parts that change: after an event, the page is fetched again. */
let refreshing = false;
let again = false;

function refresh(): void {
  if (refreshing) {
    again = true;
    return;
  }
  refreshing = true;
  setTimeout(() => void replaceLive().catch(retryOnNextEvent).then(refreshed), REFRESH_MS);
}

/** The next event fetches the page again. */
function retryOnNextEvent(): void {}

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
  if (!answer.ok || answer.redirected) return;
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

/** A log with terminal colours. Its text becomes text nodes, never HTML. */
class Log {
  /** Sequence number of the last chunk shown. */
  last = 0;
  readonly #element: HTMLElement;
  readonly #follow: HTMLInputElement;
  #terminal = new AnsiParser();
  #line = document.createElement('span');
  #overwrites = false;

  constructor(element: HTMLElement, follow: HTMLInputElement) {
    this.#element = element;
    this.#follow = follow;
    if (follow.parentElement !== null) follow.parentElement.hidden = false;
    document.getElementById('more')?.remove();
  }

  append({ data }: MessageEvent<string>): void {
    const chunk: { sequence: number; text: string } = JSON.parse(data);
    const { sequence, text } = chunk;
    if (sequence <= this.last) return;
    // The stream starts with the lines that the page already shows.
    if (this.last === 0) this.#element.replaceChildren();
    this.last = sequence;
    this.#write(text);
  }

  #write(text: string): void {
    const log = this.#element;
    const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 40;
    const added = document.createDocumentFragment();
    for (const part of this.#terminal.read(text)) {
      // A program that goes back to the beginning of its line writes over it.
      if (part === '\r') this.#overwrites = true;
      else this.#put(part, added);
    }
    log.append(added);
    while (log.childNodes.length > MAX_LOG_LINES) log.firstChild?.remove();
    if (this.#follow.checked && atEnd) log.scrollTop = log.scrollHeight;
  }

  /** Adds to the current line, which is one element. */
  #put(part: Piece | '\n', added: DocumentFragment): void {
    if (this.#line.parentNode === null) added.append(this.#line);
    if (part === '\n') {
      this.#line.append('\n');
      this.#line = document.createElement('span');
    } else {
      if (this.#overwrites) this.#line.replaceChildren();
      this.#line.append(shown(part));
    }
    this.#overwrites = false;
  }
}

/** Sets colours with `style.setProperty`, which our content security policy allows. */
function shown({ text, dress: { names, front, back } }: Piece): Node {
  if (names === '') return document.createTextNode(text);
  const element = document.createElement('span');
  element.className = names;
  element.textContent = text;
  for (const [side, pair] of Object.entries({ front, back })) {
    for (const [palette, colour] of Object.entries(pair ?? {}))
      element.style.setProperty(`--${side}-${palette}`, `rgb(${colour.join(' ')})`);
  }
  return element;
}

function listen(events: string, log: Log | undefined): void {
  followEvents({
    url: () => (log === undefined || log.last === 0 ? events : `${events}?after=${log.last}`),
    on: {
      log: (event) => log?.append(event),
      build: refresh,
      pipeline: refresh,
      end: refresh,
    },
    refused: refresh,
  });
}

function logOfPage(): Log | undefined {
  const [element, follow] = [document.getElementById('log'), document.getElementById('follow')];
  return element !== null && follow instanceof HTMLInputElement ? new Log(element, follow) : undefined;
}

keepTimesCurrent();
sendActionsByScript();
const { events } = document.body.dataset;
if (events !== undefined) listen(events, logOfPage());
