/*
 * What a page does that a browser with scripts can do more: it follows what it shows. Without this file every page works as it was sent.
 */
const MOST_SPANS = 20_000;
const COME_BACK_MS = 5000;
const REFRESH_MS = 700;

const events = document.body.dataset.events;
const log = document.getElementById('log');
const follow = document.getElementById('follow');

/** The reader's own clock. */
function localTimes(within) {
  for (const time of within.querySelectorAll('time'))
    time.textContent = new Date(time.dateTime).toLocaleString();
}

/* The parts of a page that change are written by the server alone: it is asked for the page again. */
let refreshing;
let again = false;

function refresh() {
  if (refreshing !== undefined) {
    again = true;
    return;
  }
  refreshing = setTimeout(async () => {
    try {
      await replaceLive();
    } catch {
      // The next event asks again.
    }
    refreshing = undefined;
    if (again) {
      again = false;
      refresh();
    }
  }, REFRESH_MS);
}

async function replaceLive() {
  const here = document.getElementById('live');
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const there = page.getElementById('live');
  if (here === null || there === null) return;
  localTimes(there);
  // Whoever types or has a button under the finger is not disturbed; a status is still told.
  if (here.contains(document.activeElement)) replaceStatus(page);
  else if (here.innerHTML !== there.innerHTML) here.replaceChildren(...there.childNodes);
  const picture = document.getElementById('picture');
  if (picture !== null) picture.src = picture.src.replace(/(\?at=.*)?$/, `?at=${Date.now()}`);
}

function replaceStatus(page) {
  const [here, there] = [document.getElementById('status'), page.getElementById('status')];
  if (here !== null && there !== null && here.textContent !== there.textContent)
    here.replaceChildren(...there.childNodes);
}

/* Logs: text with the colours of terminals. All of it becomes text of elements, never HTML. */
let look = {};
let line = document.createElement('span');
let overwrites = false;

function write(text) {
  const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 40;
  const added = document.createDocumentFragment();
  for (const part of text.split(
    /(\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\n|\r)/,
  )) {
    if (part === '') continue;
    if (part.startsWith('\u001b')) restyle(part);
    else if (part === '\r') overwrites = true;
    else put(part, added);
  }
  log.append(added);
  while (log.childNodes.length > MOST_SPANS) log.firstChild.remove();
  if (follow.checked && atEnd) log.scrollTop = log.scrollHeight;
}

/** One element a line; a program that goes back to the beginning of its line writes over it. */
function put(part, added) {
  if (part === '\n') {
    overwrites = false;
    line.append('\n');
    line = document.createElement('span');
    return;
  }
  if (overwrites) line.replaceChildren();
  overwrites = false;
  const piece = document.createElement('span');
  piece.className = Object.values(look).filter(Boolean).join(' ');
  piece.textContent = part.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '');
  line.append(piece);
  if (line.parentNode === null) added.append(line);
}

const ON = {
  1: ['weight', 'b'],
  2: ['weight', 'dim'],
  3: ['slope', 'i'],
  4: ['under', 'u'],
  7: ['turned', 'turned'],
};

function restyle(sequence) {
  const [, numbers] = /^\u001b\[([\d;]*)m$/.exec(sequence) ?? [];
  if (numbers === undefined) return;
  const codes = numbers.split(';').map(Number);
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at];
    if (code === 38 || code === 48) at += codes[at + 1] === 2 ? 4 : 2;
    else style(code);
  }
}

function style(code) {
  const on = ON[code];
  if (code === 0) look = {};
  else if (on !== undefined) look[on[0]] = on[1];
  else if (code === 22) look.weight = '';
  else if (code === 39) look.front = '';
  else if (code === 49) look.back = '';
  else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) look.front = `fg-${code % 10}`;
  else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) look.back = `bg-${code % 10}`;
}

let last = 0;
let first = true;

function told({ data }) {
  const chunk = JSON.parse(data);
  if (chunk.sequence <= last) return;
  if (first) log.replaceChildren();
  first = false;
  last = chunk.sequence;
  write(chunk.text);
}

/** The browser itself comes back when a connection breaks, but not when it was refused. */
function listen() {
  const source = new EventSource(last === 0 ? events : `${events}?after=${last}`);
  source.addEventListener('log', told);
  source.addEventListener('build', refresh);
  source.addEventListener('pipeline', refresh);
  source.addEventListener('end', () => {
    source.close();
    refresh();
  });
  source.addEventListener('closed', () => {
    source.close();
    location.reload();
  });
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, COME_BACK_MS);
  });
}

localTimes(document);
if (log !== null) {
  follow.parentElement.hidden = false;
  document.getElementById('more')?.remove();
}
listen();
