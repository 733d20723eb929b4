import { Html } from './html.ts';

/** `src/web/form-answer.ts` looks for this element. */
const MARK = '<meta name="form-answer" content="" />';

/**
 * Marks a page that answers a form. Browsers can show such a page again only if they send the form again, so
 * its script gives it the address of the page that had the form.
 */
export const markFormAnswer = ({ text }: Html): Html => new Html(text.replace('<head>', `<head>${MARK}`));
