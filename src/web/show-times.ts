import { exactTime, relativeTime } from './relative-time.ts';

const EVERY_MS = 30_000;

/** Shows times relative to now; the exact time, in the viewer's time zone, appears when they point at it. */
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

/** Keeps the times of the page true while it is open. */
export function keepTimesCurrent(): void {
  showTimes(document);
  setInterval(() => showTimes(document), EVERY_MS);
}
