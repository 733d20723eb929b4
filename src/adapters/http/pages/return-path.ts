const MAX_CHARACTERS = 500;
/** Only characters that every parser reads alike: no backslash, no control character, no double slash. */
const OURS = /^\/(?:teams|profile|openapi)(?:\/[\w.~%@:+-]+)*(?:\?[\w.~%@:+&=-]*)?$/;

/** Returns the path to open after signing in: always one of our pages, whatever the link says. */
export function returnPath(wanted: unknown): string {
  if (typeof wanted !== 'string' || wanted.length > MAX_CHARACTERS) return HOME;
  return OURS.test(wanted) && !/%(?:2f|5c|0|1)/i.test(wanted) && !/\/\.\.?(?:\/|$|\?)/.test(wanted)
    ? wanted
    : HOME;
}

export const HOME = '/teams';
