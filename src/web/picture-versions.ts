import { REFRESH_MS } from './refresh.ts';

const RETRIES = 5;
const RETRY_MS = 1000;

/**
 * Decides when pictures load again. The server caches pictures for a second, so the picture of a pipeline
 * loads at most once in that time, however often the pipeline changes. If the server refuses a picture
 * because it is drawing many others, the page requests the picture again later.
 */
export class PictureVersions {
  readonly #versions = new Map<number, number>();
  /** The ids of pipelines whose pictures wait to load, and whether the pipelines have changed again since. */
  readonly #waiting = new Map<number, boolean>();
  readonly #failures = new Map<number, number>();
  readonly #draw: () => void;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /**
   * The version of a picture, for its address. Undefined if the picture has not had to load again since the
   * page was opened.
   */
  of(id: number): number | undefined {
    return this.#versions.get(id);
  }

  isBroken(id: number): boolean {
    return this.#failures.has(id);
  }

  changed(id: number): void {
    if (this.#waiting.has(id)) this.#waiting.set(id, true);
    else this.#wait(id, REFRESH_MS);
  }

  loaded(id: number): void {
    if (this.#failures.delete(id)) this.#draw();
  }

  failed(id: number): void {
    const failures = (this.#failures.get(id) ?? 0) + 1;
    this.#failures.set(id, failures);
    this.#draw();
    // The wait is random, so that the pictures of a page do not all load again at once.
    if (failures <= RETRIES && !this.#waiting.has(id))
      this.#wait(id, RETRY_MS * 2 ** failures * (0.5 + Math.random()));
  }

  #wait(id: number, milliseconds: number): void {
    this.#waiting.set(id, false);
    setTimeout(() => {
      const hasChangedAgain = this.#waiting.get(id) === true;
      this.#waiting.delete(id);
      this.#versions.set(id, Date.now());
      this.#draw();
      if (hasChangedAgain) this.#wait(id, REFRESH_MS);
    }, milliseconds);
  }
}
