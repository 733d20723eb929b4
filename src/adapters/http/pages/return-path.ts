const LONGEST = 500;
/**
 * Only letters that are the same to every reader of addresses: no backslash, no control character, no second
 * slash in a row.
 */
const OURS = /^\/(?:teams|profile|openapi)(?:\/[\w.~%@:+-]+)*(?:\?[\w.~%@:+&=-]*)?$/;

/** Where to go after signing in: a page of ours, whatever a link wanted. */
export function returnPath(wanted: unknown): string {
  if (typeof wanted !== 'string' || wanted.length > LONGEST) return HOME;
  return OURS.test(wanted) && !/%(?:2f|5c|0|1)/i.test(wanted) && !/\/\.\.?(?:\/|$|\?)/.test(wanted)
    ? wanted
    : HOME;
}

export const HOME = '/teams';
