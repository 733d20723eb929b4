import { BuildLog, type LogChunk } from './build-log.ts';
import type { LineLink } from './line-link.ts';
import { placeSections, type LogLayout } from './log-layout.ts';
import { logSectionsOf, opensAtFirst, type LogSection, type ShownBuild } from './log-sections.ts';
import { LogSearch, type FoundLine } from './search-log.ts';

/** Lines or a section that the viewer wants to see. */
export interface LogTarget extends LineLink {
  /** True: the page scrolls to the log and gives it the focus. */
  focus: boolean;
}

/** The state of the log on a page: its text, folded sections, search and selection. Does not use the DOM. */
export class LogState {
  readonly log = new BuildLog();
  /** True: the viewer has scrolled up. */
  hasMoved = false;
  #build: ShownBuild | undefined;
  /** True: the build had ended when the page was opened. */
  #hadEnded = false;
  #isComplete = false;
  #target: LogTarget | undefined;
  #search = new LogSearch('');
  #current: FoundLine | undefined;
  #selected: LineLink | undefined;
  #sections: readonly LogSection[] | undefined;
  #layout: LogLayout | undefined;
  readonly #folds = new Map<string, boolean>();
  readonly #onChange: () => void;

  /**
   * Calls `onChange` after each change that the page must draw. `onChange` should draw only in the next
   * frame.
   */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get build(): ShownBuild | undefined {
    return this.#build;
  }

  /** True: the log is complete, so no text will follow. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  get search(): LogSearch {
    return this.#search;
  }

  /** The match that the viewer went to last. */
  get current(): FoundLine | undefined {
    return this.#current;
  }

  get selected(): LineLink | undefined {
    return this.#selected;
  }

  get sections(): readonly LogSection[] {
    this.#sections ??= logSectionsOf(this.log, this.#build);
    return this.#sections;
  }

  /** The layout for lines that wrap at `columns`. With infinite columns, they do not wrap. */
  layoutAt(columns: number): LogLayout {
    if (this.#layout?.columns !== columns)
      this.#layout = placeSections(this.sections, (section) => this.isOpen(section), columns);
    return this.#layout;
  }

  get target(): LogTarget | undefined {
    return this.#target;
  }

  isOpen(section: LogSection): boolean {
    return this.#folds.get(section.key) ?? opensAtFirst(section, this.sections.length, this.#hadEnded);
  }

  /** Sets the first state of the build, when the page is opened. */
  begin(build: ShownBuild): void {
    this.#hadEnded = build.ended_at !== undefined;
    this.update(build);
  }

  update(build: ShownBuild): void {
    this.#build = build;
    this.#relayout();
  }

  append(chunk: LogChunk): void {
    this.log.append(chunk);
    this.#relayout();
  }

  /**
   * Marks the log as complete. If the build had already ended when the page was opened, shows the end of the
   * first failed step, unless the viewer has selected lines or scrolled up.
   */
  complete(): void {
    this.#isComplete = true;
    const failed = this.#hadEnded ? this.sections.find(({ status }) => status === 'failed') : undefined;
    if (failed !== undefined && this.#selected === undefined && !this.hasMoved)
      this.#target = { key: failed.key, first: failed.lines.end, focus: false };
    this.#onChange();
  }

  fold(key: string, open: boolean): void {
    this.#folds.set(key, open);
    this.#relayout();
  }

  foldAll(open: boolean): void {
    for (const { key } of this.sections) this.#folds.set(key, open);
    this.#relayout();
  }

  /** Opens a section and shows one of its lines, as soon as that line has arrived. */
  goTo(target: LogTarget): void {
    this.#target = target;
    if (target.first !== undefined && target.focus) this.#selected = target;
    this.fold(target.key, true);
  }

  /** Forgets the target, because the page has scrolled to it. */
  clearTarget(): void {
    this.#target = undefined;
  }

  select(selected: LineLink | undefined): void {
    this.#selected = selected;
    this.#onChange();
  }

  searchFor(query: string): void {
    this.#search = new LogSearch(query);
    this.#current = undefined;
    this.continueSearch();
    this.#onChange();
  }

  /** Searches the lines that have arrived since the last call. */
  continueSearch(): void {
    this.#search.read(this.sections);
  }

  /**
   * Goes to the next or previous match and opens its section. If there is no current match, the search for
   * one starts at `from`.
   */
  goToFound(direction: 1 | -1, from: FoundLine | undefined): void {
    const { count } = this.#search;
    if (count === 0) return;
    const start = this.#current ?? from;
    const index = start === undefined ? 0 : this.#search.indexOf(start);
    // Without a current match, `index` is already that of the next match.
    const step = this.#current === undefined ? Math.min(direction, 0) : direction;
    this.#current = this.#search.at((index + step + count) % count);
    if (this.#current !== undefined)
      this.goTo({ key: this.#current.key, first: this.#current.line + 1, focus: false });
  }

  /** Forgets sections and layout, so that the next drawing computes them again. */
  #relayout(): void {
    this.#sections = undefined;
    this.#layout = undefined;
    this.#onChange();
  }
}
