/**
 * Words that names must not contain, with the word to use (docs/glossary.md). Single words of a name are
 * compared, so `keptAlive` is refused and `untold` is not.
 */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['anew', 'again'],
  ['bell', 'notification'],
  ['door', 'entry point, or component'],
  ['doors', 'entry points'],
  ['ear', 'listener'],
  ['greet', 'handshake'],
  ['kept', 'stored, cached or retained'],
  ['looker', 'viewer'],
  ['lookers', 'viewers'],
  ['stranger', 'non-member, or the public'],
  ['strangers', 'non-members, or the public'],
  ['told', 'reported, printed or received'],
  ['troubled', 'affected, or failing'],
  ['whoever', 'the role: user, caller, reader'],
]);

/** What is wrong with the words of a name; empty if nothing is. */
export function refusedWords(name: string): string[] {
  const words = wordsOf(name);
  const refused = words.flatMap((word) => {
    const better = REFUSED.get(word);
    return better === undefined ? [] : [`"${word}": say ${better}`];
  });
  const bound = ['MOST_', 'LONGEST_', 'LARGEST_'].find((prefix) => name.startsWith(prefix));
  return bound === undefined ? refused : [...refused, `"${bound}": say MAX_`];
}

/** The words of a name: `keptAtHTTPDoor` gives kept, at, http and door. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.toLowerCase());
}
