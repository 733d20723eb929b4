/** Removes the signs `-`, `_` and `.` at both ends. */
export function trimEnds(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isEdge(text[start])) start++;
  while (end > start && isEdge(text[end - 1])) end--;
  return text.slice(start, end);
}

const isEdge = (letter: string | undefined): boolean => letter !== undefined && /[_.-]/.test(letter);
