const MAX_CHARACTERS = 500;
/** Only characters that every parser reads alike: no backslash, no control character, no double slash. */
const OUR_PATHS = /^\/(?:teams|profile|openapi|admin|users)(?:\/[\w.~%@:+-]+)*(?:\?[\w.~%@:+&=-]*)?$/;

/**
 * Returns the path if it leads to one of our pages, otherwise that of the first page. Use it for each path
 * that comes from outside, such as `return_to`, so that a link cannot send the browser to another site.
 */
export function returnPath(path: unknown): string {
  if (typeof path !== 'string' || path.length > MAX_CHARACTERS) return HOME;
  return OUR_PATHS.test(path) && !/%(?:2f|5c|0|1)/i.test(path) && !/\/\.\.?(?:\/|$|\?)/.test(path)
    ? path
    : HOME;
}

export const HOME = '/teams';
