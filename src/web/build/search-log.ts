import type { LogSection } from './log-sections.ts';
import type { StepLines } from './step-lines.ts';

/** How many lines a search finds at most. */
const MAX_FOUND_LINES = 50_000;

interface SectionSearch {
  lines: StepLines;
  found: number[];
  /** Lines before this one have been searched and will not change. */
  searched: number;
}

/** A line that matches the search. */
export interface FoundLine {
  key: string;
  line: number;
}

/**
 * Finds the lines of a log that contain a text, whether in upper or lower case. While the log grows, it reads
 * each complete line once.
 */
export class LogSearch {
  /** The text as the viewer typed it. */
  readonly text: string;
  /** The text in lower case. */
  readonly query: string;
  readonly #sections = new Map<string, SectionSearch>();
  #order: string[] = [];
  #count = 0;

  constructor(text: string) {
    this.text = text;
    this.query = text.toLowerCase();
  }

  /** Whether the search has found as many lines as it may. */
  get isFull(): boolean {
    return this.#count >= MAX_FOUND_LINES;
  }

  get count(): number {
    return this.#count;
  }

  /** Searches the lines that have arrived since the last call. */
  read(sections: readonly LogSection[]): void {
    this.#order = sections.map(({ key }) => key);
    if (this.query === '') return;
    for (const { key, lines } of sections) {
      const known = this.#sections.get(key);
      const search = known?.lines === lines ? known : { lines, found: [], searched: 0 };
      this.#sections.set(key, search);
      this.#readSection(search);
    }
  }

  /** How many found lines come before this line. If the line was found itself, this is its index. */
  indexOf({ key, line }: FoundLine): number {
    let before = 0;
    for (const section of this.#order) {
      const { found = [] } = this.#sections.get(section) ?? {};
      if (section === key) return before + found.filter((other) => other < line).length;
      before += found.length;
    }
    return before;
  }

  at(index: number): FoundLine | undefined {
    let before = 0;
    for (const key of this.#order) {
      const { found = [] } = this.#sections.get(key) ?? {};
      const line = found[index - before];
      if (line !== undefined) return { key, line };
      before += found.length;
    }
    return undefined;
  }

  #readSection(search: SectionSearch): void {
    const { lines, found } = search;
    this.#count -= found.length;
    // The last line may change until it is complete, and the first ones may be dropped.
    search.found = found.filter((line) => line >= lines.first && line < search.searched);
    for (const { line, text } of lines.texts(search.searched)) {
      if (this.#count + search.found.length >= MAX_FOUND_LINES) break;
      if (text.toLowerCase().includes(this.query)) search.found.push(line);
    }
    search.searched = lines.complete;
    this.#count += search.found.length;
  }
}

/** The matches of a query in a text, as pairs of start and end. */
export function matchesIn(text: string, query: string): [start: number, end: number][] {
  const lower = text.toLowerCase();
  // Some letters have another length in lower case, which would make the offsets wrong.
  if (query === '' || lower.length !== text.length) return [];
  const found: [number, number][] = [];
  for (let at = lower.indexOf(query); at !== -1; at = lower.indexOf(query, at + query.length))
    found.push([at, at + query.length]);
  return found;
}
