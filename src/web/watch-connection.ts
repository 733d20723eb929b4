import { hideNotice, showNotice } from './notice.ts';

/** Most broken connections are restored within this time. */
const NOTICE_DELAY_MS = 10_000;

/** Shows a notice that the page may be out of date if its stream of events is not restored in time. */
export function watchConnection(): { lost: () => void; back: () => void } {
  let timer: number | undefined;
  return {
    lost() {
      timer ??= setTimeout(() => showNotice(OUT_OF_DATE, 'connection'), NOTICE_DELAY_MS);
    },
    back() {
      clearTimeout(timer);
      timer = undefined;
      hideNotice('connection');
    },
  };
}

const OUT_OF_DATE =
  'The server does not send changes now, so this page may be out of date. The page tries again every few seconds.';
