import { isEdited } from './is-edited.ts';
import { showNotice } from './notice.ts';

const FIELDS = 'form[method=post] :is(input, textarea, option)';

let hasShownNotice = false;

/**
 * Reloads a page that its viewer may no longer read: the server then says why. If the viewer has typed
 * something that was not sent, the page stays and shows once what to do.
 */
export function leavePage(): void {
  if (![...document.querySelectorAll(FIELDS)].some(isEdited)) location.reload();
  else if (!hasShownNotice) {
    hasShownNotice = true;
    showNotice(CANNOT_READ);
  }
}

const CANNOT_READ =
  'Your session has ended, or you may no longer read this page. Copy what you have typed, then load the page again.';
