import type { HclEngine } from './engine.ts';
import { parseText, type ParsedDocument } from './parse-text.ts';

/**
 * Definitions of types are few and much the same in every pipeline: an engine keeps those that it has parsed.
 */
const kept = new WeakMap<HclEngine, Map<string, ParsedDocument>>();
const MOST = 32;
const LONGEST = 64 * 1024;

/** Parses definitions for one compilation; `close` frees what only that needed. */
export function openDefinitions(
  engine: HclEngine,
  time: string | undefined,
): { parse: (text: string) => ParsedDocument; close: () => void } {
  const known = kept.get(engine) ?? new Map<string, ParsedDocument>();
  kept.set(engine, known);
  const passing: ParsedDocument[] = [];
  return {
    parse(text) {
      const document = known.get(text) ?? parseText(engine, text, time);
      known.delete(text);
      // A document has the time of its compilation.
      if (text.length > LONGEST || text.includes('timestamp')) passing.push(document);
      else known.set(text, document);
      return document;
    },
    close() {
      for (const document of passing) document.release();
      for (const document of known.values()) document.releaseScopes();
      for (const [text, document] of [...known].slice(0, Math.max(0, known.size - MOST))) {
        document.release();
        known.delete(text);
      }
    },
  };
}
