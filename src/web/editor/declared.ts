/** The names that a text declares and to which other parts of the text can refer. */
export interface Declared {
  jobs: string[];
  resources: { type: string; name: string }[];
  notifications: { type: string; name: string }[];
}

/** Reads the first lines of blocks. The text may be broken. */
export function declaredIn(text: string): Declared {
  const starts = text.split('\n').map(readStart);
  const named = (block: string): { type: string; name: string }[] =>
    starts.flatMap((start) =>
      start.block === block && start.second !== '' ? [{ type: start.first, name: start.second }] : [],
    );
  return {
    jobs: starts.flatMap(({ block, first }) => (block === 'job' && first !== '' ? [first] : [])),
    resources: named('resource'),
    notifications: named('notification'),
  };
}

/** The word and the labels at the start of a line. */
function readStart(line: string): { block: string; first: string; second: string } {
  const [block = '', first = '', between = '', second = ''] = line.split('"', 4);
  return { block: block.trim(), first, second: between.trim() === '' ? second : '' };
}
