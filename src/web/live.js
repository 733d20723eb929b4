/*
 * What a page does that a browser with scripts can do more: it follows what it shows. Without this file every page works as it was sent.
 */
const MOST_LINES = 20_000;
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

/** Signed out meanwhile, or there is nothing to see any more. */
function isOver({ redirected, status }) {
  return redirected || status === 403 || status === 404;
}

async function replaceLive() {
  const here = document.getElementById('live');
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (isOver(answer)) location.reload();
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const there = page.getElementById('live');
  if (here === null || there === null) return;
  localTimes(there);
  // The element stays and its words change: that is what is read out.
  replaceStatus(page);
  // Whoever types or has a button under the finger is not disturbed.
  if (here.contains(document.activeElement)) here.addEventListener('focusout', refresh, { once: true });
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
const [ESC, BEL] = ['\u001b', '\u0007'];
const PARTS = new RegExp(
  String.raw`(${ESC}\[[0-?]*[ -/]*[@-~]|${ESC}\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\)|\n|\r)`,
);
const COLOURS = new RegExp(String.raw`^${ESC}\[([\d;]*)m$`);
let look = {};
let line = document.createElement('span');
let overwrites = false;

function write(text) {
  const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 40;
  const added = document.createDocumentFragment();
  for (const part of text.split(PARTS)) {
    if (part.startsWith(ESC)) restyle(part);
    else if (part === '\r') overwrites = true;
    else if (part !== '') put(part, added);
  }
  log.append(added);
  while (log.childNodes.length > MOST_LINES) log.firstChild.remove();
  if (follow.checked && atEnd) log.scrollTop = log.scrollHeight;
}

/** One element a line; a program that goes back to the beginning of its line writes over it. */
function put(part, added) {
  if (line.parentNode === null) added.append(line);
  if (part === '\n') {
    line.append('\n');
    line = document.createElement('span');
  } else {
    if (overwrites) line.replaceChildren();
    const piece = document.createElement('span');
    piece.className = Object.values(look).join(' ').trim();
    piece.textContent = part.replaceAll(/(?!\t)\p{Cc}/gu, '');
    line.append(piece);
  }
  overwrites = false;
}

/** What a number of a colour sequence sets: a side of the look, and the class for it. */
const LOOKS = new Map([
  [1, ['weight', 'b']],
  [2, ['weight', 'dim']],
  [3, ['slope', 'i']],
  [4, ['line', 'u']],
  [7, ['turn', 'turned']],
  [22, ['weight', '']],
  [23, ['slope', '']],
  [24, ['line', '']],
  [27, ['turn', '']],
  [39, ['front', '']],
  [49, ['back', '']],
]);
for (let colour = 0; colour < 8; colour += 1) {
  for (const base of [30, 90]) LOOKS.set(base + colour, ['front', `fg-${colour}`]);
  for (const base of [40, 100]) LOOKS.set(base + colour, ['back', `bg-${colour}`]);
}

function restyle(sequence) {
  const [, numbers] = COLOURS.exec(sequence) ?? [];
  if (numbers === undefined) return;
  const codes = numbers.split(';').map(Number);
  for (let at = 0; at < codes.length; at += 1) {
    const [side, name] = LOOKS.get(codes[at]) ?? [];
    // Colours out of 256 or more have no contrast that we could answer for.
    if (codes[at] === 38 || codes[at] === 48) at += codes[at + 1] === 2 ? 4 : 2;
    else if (codes[at] === 0) look = {};
    else if (side !== undefined) look[side] = name;
  }
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
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(listen, COME_BACK_MS);
    refresh();
  });
}

localTimes(document);
if (log !== null) {
  follow.parentElement.hidden = false;
  document.getElementById('more')?.remove();
}
listen();
