import { exactTime, relativeTime } from './relative-time.ts';

const REWRITE_MS = 30_000;

/** Writes times relative to now. The exact time, in the viewer's time zone, is in the tooltip. */
export function showTimes(within: ParentNode): void {
  const now = new Date();
  for (const time of within.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const words = relativeTime(at, now);
    if (time.textContent !== words) time.textContent = words;
    time.title = exactTime(at);
  }
}

/** Writes the relative times of the page again and again while it is open. */
export function keepTimesCurrent(): void {
  showTimes(document);
  setInterval(() => showTimes(document), REWRITE_MS);
}
