import { assetUrl } from './assets.ts';
import { Html } from './html.ts';

/**
 * Adds the script `src/web/form-answer-page.ts` to a page that answers a form. Browsers can show such a page
 * again only if they send the form again, so the script gives it the address of the page that had the form.
 */
export const markFormAnswer = ({ text }: Html): Html =>
  new Html(
    text.replace('<head>', `<head><script type="module" src="${assetUrl('form-answer-page.js')}"></script>`),
  );
