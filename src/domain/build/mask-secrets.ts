import { secretForms } from './secret-forms.ts';

export const MASK = '***';

/** Masks secrets in a text that arrives in pieces. */
export interface MaskStream {
  /**
   * Returns the text that is safe to show. Holds back the end of the text while it could be the start of a
   * secret.
   */
  write(text: string): string;
  /** Returns the text that was held back. */
  end(): string;
}

export interface Masker {
  /** Starts to mask another stream of text. */
  stream(): MaskStream;
  /** Masks a complete text. */
  mask(text: string): string;
  /**
   * Masks these values from now on, in open streams too: in the text that they hold back, and in all later
   * text.
   */
  add(secrets: readonly string[]): void;
}

/**
 * Creates a masker for these values and their encoded forms (`secretForms`). It masks every character of
 * every occurrence of these forms, even if occurrences overlap, and wherever a stream cuts the text. Very
 * short values have no form, so they are not masked. The automaton is built on first use, because building
 * takes milliseconds for long secrets.
 */
export function createMasker(secrets: readonly string[]): Masker {
  const known = new Set(secrets);
  let automaton: Automaton | undefined;
  const currentAutomaton = (): Automaton | undefined =>
    known.size === 0 ? undefined : (automaton ??= buildAutomaton(secretForms([...known])));
  const stream = (): MaskStream => new AutomatonMaskStream(currentAutomaton);
  const mask = (text: string): string => {
    const singleUse = stream();
    return singleUse.write(text) + singleUse.end();
  };
  const add = (added: readonly string[]): void => {
    const before = known.size;
    for (const secret of added) known.add(secret);
    if (known.size > before) automaton = undefined;
  };
  return { stream, mask, add };
}

/**
 * An Aho–Corasick automaton: it finds any number of patterns in one pass over the text. A state is a prefix
 * of a pattern; state 0 is the empty prefix.
 */
interface Automaton {
  /** (state × 65536 + code unit) → next state, only along the patterns. */
  next: Map<number, number>;
  /** For each state: the state of its longest proper suffix that is also a prefix of a pattern. */
  fallback: number[];
  /** For each state: the length of its prefix. */
  depth: number[];
  /** For each state: the length of the longest pattern that the prefix ends with; 0: it ends with none. */
  longest: number[];
  /** For each code unit: 1 if a pattern begins with it. */
  begins: Uint8Array;
  /** Length of the shortest pattern. Infinity: there is no pattern. */
  window: number;
  /**
   * For each hash: 1 if it is the hash of three successive code units among the first `window` of a pattern.
   */
  triples: Uint8Array;
}

const UNITS = 65_536;

/** Hashes three code units to 16 bits. Most triples of ASCII characters have different hashes. */
const hashOf = (text: string, at: number): number =>
  ((text.charCodeAt(at) << 9) ^ (text.charCodeAt(at + 1) << 4) ^ text.charCodeAt(at + 2)) & 0xff_ff;

/**
 * Builds the automaton. The patterns are sorted by length, the longest first. Each has at least three code
 * units.
 */
function buildAutomaton(patterns: string[]): Automaton {
  const machine: Automaton = {
    next: new Map(),
    fallback: [0],
    depth: [0],
    longest: [0],
    begins: new Uint8Array(UNITS),
    window: patterns.at(-1)?.length ?? Infinity,
    triples: new Uint8Array(UNITS),
  };
  for (const pattern of patterns) {
    for (let at = 0; at + 3 <= machine.window; at += 1) machine.triples[hashOf(pattern, at)] = 1;
  }
  const children: [number, number][][] = [[]];
  for (const pattern of patterns) addPattern(machine, children, pattern);
  linkFallbacks(machine, children);
  return machine;
}

function addPattern(machine: Automaton, children: [number, number][][], pattern: string): void {
  let state = 0;
  for (let index = 0; index < pattern.length; index += 1) {
    const unit = pattern.charCodeAt(index);
    let following = machine.next.get(state * UNITS + unit);
    if (following === undefined) {
      following = machine.depth.length;
      machine.next.set(state * UNITS + unit, following);
      children[state]?.push([unit, following]);
      children.push([]);
      machine.depth.push(index + 1);
      machine.fallback.push(0);
      machine.longest.push(0);
    }
    if (state === 0) machine.begins[unit] = 1;
    state = following;
  }
  machine.longest[state] = pattern.length;
}

/**
 * Sets the fallback of each state. Visits the states breadth first. A fallback is shorter than its state, so
 * it is complete before the state is visited.
 */
function linkFallbacks(machine: Automaton, children: [number, number][][]): void {
  const queue = (children[0] ?? []).map(([, state]) => state);
  for (let head = 0; head < queue.length; head += 1) {
    const state = queue[head] ?? 0;
    for (const [unit, child] of children[state] ?? []) {
      const suffix = step(machine, machine.fallback[state] ?? 0, unit);
      machine.fallback[child] = suffix;
      machine.longest[child] = Math.max(machine.longest[child] ?? 0, machine.longest[suffix] ?? 0);
      queue.push(child);
    }
  }
}

/** The state after one more code unit. */
function step(machine: Automaton, from: number, unit: number): number {
  let state = from;
  for (;;) {
    const following = machine.next.get(state * UNITS + unit);
    if (following !== undefined) return following;
    if (state === 0) return 0;
    state = machine.fallback[state] ?? 0;
  }
}

/**
 * The next position at which a pattern may begin, from `from` on. Skips most text a window at a time: a
 * pattern that begins at a skipped position would contain the last three code units of the window, and no
 * pattern does.
 */
function skip(text: string, from: number, { window, triples }: Automaton): number {
  const last = text.length - window;
  let at = from;
  while (at <= last && triples[hashOf(text, at + window - 3)] === 0) at += window - 2;
  return at;
}

class AutomatonMaskStream implements MaskStream {
  readonly #currentAutomaton: () => Automaton | undefined;
  /** Undefined: there are no secrets yet, so the stream holds nothing back. */
  #machine: Automaton | undefined;
  #state = 0;
  /** Text that the stream holds back, because it may be the start of a secret. */
  #held = '';
  /** The parts of the held text to mask: sorted, and with text between any two of them. */
  #hidden: { from: number; to: number }[] = [];
  /**
   * The text that was returned last ends with a mask, and the masked part reaches to the start of the held
   * text. Another secret that follows directly needs no second mask.
   */
  #endsWithMask = false;

  constructor(currentAutomaton: () => Automaton | undefined) {
    this.#currentAutomaton = currentAutomaton;
  }

  write(text: string): string {
    this.#adoptNewSecrets();
    if (this.#machine === undefined) return text;
    this.#scan(this.#machine, text, this.#held.length);
    this.#held += text;
    return this.#release(this.#held.length - (this.#machine.depth[this.#state] ?? 0));
  }

  /** Searches the held text again if secrets were added. */
  #adoptNewSecrets(): void {
    const machine = this.#currentAutomaton();
    if (machine === this.#machine) return;
    this.#machine = machine;
    this.#state = 0;
    if (machine !== undefined) this.#scan(machine, this.#held, 0);
  }

  /** Searches a text for secrets. `base`: the position of the text in the held text. */
  #scan(machine: Automaton, text: string, base: number): void {
    let state = this.#state;
    for (let index = 0; index < text.length; index += 1) {
      if (state === 0) index = skip(text, index, machine);
      const unit = text.charCodeAt(index);
      if (state === 0 && machine.begins[unit] === 0) continue;
      state = step(machine, state, unit);
      const length = machine.longest[state] ?? 0;
      if (length > 0) this.#hide(base + index + 1 - length, base + index + 1);
    }
    this.#state = state;
  }

  end(): string {
    this.#adoptNewSecrets();
    this.#state = 0;
    const shown = this.#release(this.#held.length);
    this.#endsWithMask = false;
    return shown;
  }

  #hide(start: number, end: number): void {
    let [from, to] = [start, end];
    const later: { from: number; to: number }[] = [];
    for (;;) {
      const last = this.#hidden.at(-1);
      if (!last || last.to < from) break;
      this.#hidden.pop();
      // After `add`, the held text is searched a second time. Only that search can find parts before parts
      // that are hidden already.
      if (last.from > to) later.unshift(last);
      else [from, to] = [Math.min(from, last.from), Math.max(to, last.to)];
    }
    this.#hidden.push({ from, to }, ...later);
  }

  /** Removes the text before `limit` from the held text and returns it, masked. */
  #release(limit: number): string {
    let shown = '';
    let at = 0;
    const remaining: { from: number; to: number }[] = [];
    for (const part of this.#hidden) {
      if (part.from >= limit) {
        remaining.push({ from: part.from - limit, to: part.to - limit });
        continue;
      }
      if (part.from > at) this.#endsWithMask = false;
      shown += this.#held.slice(at, part.from);
      if (!this.#endsWithMask) shown += MASK;
      this.#endsWithMask = true;
      at = Math.min(part.to, limit);
      if (part.to > limit) remaining.push({ from: 0, to: part.to - limit });
    }
    if (at < limit) this.#endsWithMask = false;
    shown += this.#held.slice(at, limit);
    this.#held = this.#held.slice(limit);
    this.#hidden = remaining;
    return shown;
  }
}
