import type { HclEngine } from './engine.ts';
import { parseText, type ParsedDocument } from './parse-text.ts';

/**
 * Parsed type definitions by engine. They are cached because they are few and nearly the same in every
 * pipeline.
 */
const cache = new WeakMap<HclEngine, Map<string, ParsedDocument>>();
const MAX_CACHED_DEFINITIONS = 32;
const MAX_CACHED_CHARACTERS = 64 * 1024;
/**
 * A document that calls timestamp() is valid for one compilation only. The parenthesis is part of the pattern
 * because scripts may contain the word alone.
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
      // Deleted and set again, the cache is in the order of the last use.
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
