import type { HclEngine } from './engine.ts';
import { parseText, type ParsedDocument } from './parse-text.ts';

/** Parsed type definitions by engine and text. They are cached, because pipelines use few different ones. */
const cache = new WeakMap<HclEngine, Map<string, ParsedDocument>>();
const MAX_CACHED_DEFINITIONS = 32;
const MAX_CACHED_CHARACTERS = 64 * 1024;
/**
 * A document that calls timestamp() is valid for one compilation only, so it is not cached. The pattern
 * includes the parenthesis, because a script may contain the word alone.
 */
const CALLS_TIMESTAMP = /timestamp\s*\(/;

/**
 * Parses type definitions for one compilation. `close` releases the documents that cannot stay in the cache.
 */
export function openDefinitions(
  engine: HclEngine,
  time: string | undefined,
): { parse: (text: string) => ParsedDocument; close: () => void } {
  const cached = cache.get(engine) ?? new Map<string, ParsedDocument>();
  cache.set(engine, cached);
  const uncached: ParsedDocument[] = [];
  return {
    parse(text) {
      const document = cached.get(text) ?? parseText(engine, text, time);
      // Deleting the text and setting it again keeps the cache in the order of last use.
      cached.delete(text);
      if (text.length > MAX_CACHED_CHARACTERS || CALLS_TIMESTAMP.test(text)) uncached.push(document);
      else cached.set(text, document);
      return document;
    },
    close() {
      for (const document of uncached) document.release();
      for (const document of cached.values()) document.releaseScopes();
      const surplus = Math.max(0, cached.size - MAX_CACHED_DEFINITIONS);
      for (const [text, document] of [...cached].slice(0, surplus)) {
        document.release();
        cached.delete(text);
      }
    },
  };
}
