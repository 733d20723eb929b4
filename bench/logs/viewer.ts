import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CDPSession, Page } from 'playwright-core';
import { assetUrl, readAssets } from '#adapters/http/pages/assets.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { startChromium } from '#testing/browser/chromium.ts';

/*
 * Measures the log viewer of a build's page in a real browser: how fast a long log scrolls, and how the
 * memory of the page grows with an hour's output, which arrives as fast as possible. A small server stands in
 * for the gateway; needs `make dist` (docs/benchmarks.md):
 *
 *   node bench/logs/viewer.ts [--lines 100000] [--frames 300]      make bench-log-viewer
 */
const AIM_FRAME_MS = 1000 / 60;
const AIM_GROWTH_MB = 20;
/** An hour of output at ten chunks a second: an agent sends the whole lines of a step every 100 ms. */
const HOUR = { chunks: 36_000, linesPerChunk: 5 };
const lines = numberFlag('lines', 100_000);
const frames = numberFlag('frames', 300);

const AT = '2026-11-26T12:00:00.000Z';
const STEP = { id: '0', kind: 'task', name: 'compile', status: 'started', started_at: AT };
const BUILD = { status: 'started', attempt: 1, steps: [STEP] };
const PAGE = `<!doctype html><html lang="en"><title>Log</title>
<link rel="stylesheet" href="${assetUrl('styles.css')}">
<main class="build-page"><p>A build</p><section class="build-output"><h2 id="log-title">Log</h2>
<div id="log-viewer" data-url="/build"></div></section></main>
<script type="module" src="${assetUrl('build-page.js')}"></script></html>`;

const connection: { stream?: ServerResponse } = {};
let sequence = 0;
const server = createServer(({ url = '/' }, response) => {
  const asset = readAssets().byFile.get(url.replace('/assets/', ''));
  if (url.startsWith('/build/events')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    connection.stream = response;
  } else if (url === '/build') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: BUILD }));
  } else if (asset === undefined) response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
  else response.writeHead(200, { 'content-type': asset.type }).end(asset.text);
});

/** One line in four has colours. */
function lineOf(number: number): string {
  const words = `${number}: a line of the length that the output of a compiler usually has, or about that`;
  return number % 4 === 0 ? `\u001b[32mok\u001b[0m ${words}\n` : `${words}\n`;
}

async function send(from: number, count: number): Promise<void> {
  const text = Array.from({ length: count }, (_, index) => lineOf(from + index)).join('');
  sequence += 1;
  const data = JSON.stringify({ attempt: 1, sequence, step: '0', text, at: AT });
  if (connection.stream?.write(`event: log\ndata: ${data}\n\n`) === false)
    await new Promise<void>((done) => connection.stream?.once('drain', done));
}

async function sendLog(total: number, perChunk: number, from = 1): Promise<void> {
  for (let sent = 0; sent < total; sent += perChunk) await send(from + sent, perChunk);
}

async function waitForLine(page: Page, number: number): Promise<void> {
  await page.locator(`.build-line[data-line="${number}"]`).waitFor();
}

/** Memory of the page in MB after a garbage collection: the heap, and the buffers that hold the text. */
async function memoryOf(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage');
  const usage: Record<string, number> = await devtools
    .send('Runtime.getHeapUsage')
    .then((all) => ({ ...all }));
  return ((usage['usedSize'] ?? 0) + (usage['backingStorageSize'] ?? 0)) / 1e6;
}

/**
 * Scrolls by this many pixels in each frame. Returns the time of each frame but the first, and how many of
 * three spots per frame had no line.
 */
const scrollScript = (pixels: number): string => `new Promise((done) => {
  const log = document.getElementById('log');
  log.scrollTop = 0;
  const times = [];
  let gaps = 0;
  let last = performance.now();
  const frame = (now) => {
    times.push(now - last);
    last = now;
    const { left, top, height } = log.getBoundingClientRect();
    for (const part of [0.2, 0.5, 0.9])
      if (document.elementFromPoint(left + 30, top + height * part)?.closest('.build-line') === null) gaps += 1;
    log.scrollTop += ${pixels};
    if (times.length < ${frames}) requestAnimationFrame(frame);
    else done({ times: times.slice(1), gaps });
  };
  requestAnimationFrame(frame);
})`;

async function scroll(page: Page, devtools: CDPSession, pixels: number): Promise<string[]> {
  const before = await workOf(devtools);
  const { times, gaps } = await page.evaluate<{ times: number[]; gaps: number }>(scrollScript(pixels));
  const work = ((await workOf(devtools)) - before) / frames;
  const sorted = times.toSorted((a, b) => a - b);
  const percentile = (share: number): string =>
    `${(sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)} ms`;
  return [`${pixels} px per frame`, percentile(0.5), percentile(0.95), `${work.toFixed(1)} ms`, String(gaps)];
}

/** Milliseconds that the main thread of the page has worked so far. */
async function workOf(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
}

await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
const address: AddressInfo | string | null = server.address();
if (address === null || typeof address === 'string') throw new Error('The server has no port.');
const browser = await startChromium();

async function openLog(): Promise<{ page: Page; devtools: CDPSession }> {
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const connected = page.waitForRequest('**/build/events');
  await page.goto(`http://127.0.0.1:${address.port}/`);
  await connected;
  while (connection.stream === undefined) await new Promise((done) => setTimeout(done, 20));
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  return { page, devtools };
}

const longLog = await openLog();
const startedAt = performance.now();
await sendLog(lines, 1000);
await waitForLine(longLog.page, lines);
const loaded = performance.now() - startedAt;
const rows: string[][] = [];
for (const pixels of [40, 400, 4000]) rows.push(await scroll(longLog.page, longLog.devtools, pixels));
const elements = await longLog.page.locator('.build-log *').count();
await longLog.page.close();

delete connection.stream;
const growingLog = await openLog();
await send(1, 5);
await waitForLine(growingLog.page, 5);
const before = await memoryOf(growingLog.devtools);
await sendLog(HOUR.chunks * HOUR.linesPerChunk, HOUR.linesPerChunk, 6);
await waitForLine(growingLog.page, HOUR.chunks * HOUR.linesPerChunk + 5);
const after = await memoryOf(growingLog.devtools);

await browser.close();
server.closeAllConnections();
server.close();
process.stdout.write(`${circumstances()}, Chromium headless without a graphics processor\n\n`);
process.stdout.write(
  `${table(['Scrolling', 'Frame, median', 'p95', `Work per frame (aim ≤ ${AIM_FRAME_MS.toFixed(1)} ms)`, 'Gaps'], rows)}\n\n`,
);
process.stdout.write(
  `${lines.toLocaleString('en')} lines were there after ${(loaded / 1000).toFixed(1)} s, with ${elements} elements in the log.\n` +
    `An hour of output, ${(HOUR.chunks * HOUR.linesPerChunk).toLocaleString('en')} lines in ` +
    `${HOUR.chunks.toLocaleString('en')} chunks: the page grew by ${(after - before).toFixed(1)} MB ` +
    `(aim ≤ ${AIM_GROWTH_MB} MB).\n`,
);
