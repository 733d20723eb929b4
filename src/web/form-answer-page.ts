/*
 * Gives a page that answers a form the address of the page that had the form. Otherwise Back or a reload
 * would send the form again, or ask the viewer whether to.
 */
const { referrer } = document;
if (URL.canParse(referrer) && new URL(referrer).origin === location.origin)
  history.replaceState(history.state, '', referrer);
