const MAX_CHARACTERS = 500;
/** Only characters that every parser reads alike: no backslash, no control character, no double slash. */
const OUR_PATHS = /^\/(?:teams|profile|openapi|admin|users)(?:\/[\w.~%@:+-]+)*(?:\?[\w.~%@:+&=-]*)?$/;

/** Returns the path to open after signing in: always one of our pages, whatever the link says. */
export function returnPath(path: unknown): string {
  if (typeof path !== 'string' || path.length > MAX_CHARACTERS) return HOME;
  return OUR_PATHS.test(path) && !/%(?:2f|5c|0|1)/i.test(path) && !/\/\.\.?(?:\/|$|\?)/.test(path)
    ? path
    : HOME;
}

export const HOME = '/teams';
