import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The root of the checkout. */
export const ROOT = join(import.meta.dirname, '../..');

const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'coverage', '.git', 'testdata']);

/** A Markdown file of the project. */
export interface MarkdownPage {
  /** Path from the root of the checkout. */
  path: string;
  text: string;
}

/** A fenced block. `word`: the language; `attributes`: the text after the language on the same line. */
export interface Fence {
  word: string;
  attributes: string;
  text: string;
  line: number;
}

/** Every Markdown file of the project outside of `SKIPPED_FOLDERS`, by path. */
export function pages(): MarkdownPage[] {
  return walk(ROOT)
    .filter((file) => file.endsWith('.md'))
    .toSorted()
    .map((file) => ({ path: relative(ROOT, file), text: readFileSync(file, 'utf8') }));
}

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED_FOLDERS.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? walk(path) : [path];
  });
}

export function fences(text: string): Fence[] {
  const blocks: Fence[] = [];
  let open: Fence | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const mark = /^```([^\s`]*)(\s.*)?$/.exec(line.trimStart());
    if (mark === null) {
      if (open !== undefined) open.text += `${line}\n`;
    } else if (open === undefined) {
      open = { word: mark[1] ?? '', attributes: mark[2]?.trimStart() ?? '', text: '', line: index + 1 };
    } else {
      blocks.push(open);
      open = undefined;
    }
  }
  return blocks;
}

/** Blanks fenced blocks and code spans, so that prose is left. */
function prose(text: string): string {
  return withoutFences(text).replaceAll(/`[^`\n]+`/g, (span) => ' '.repeat(span.length));
}

/** Fenced blocks become empty lines. */
export function withoutFences(text: string): string {
  let open = false;
  return text
    .split('\n')
    .map((line) => {
      const mark = line.trimStart().startsWith('```');
      const inside = open || mark;
      if (mark) open = !open;
      return inside ? '' : line;
    })
    .join('\n');
}

/** Targets of links and pictures: first those in Markdown, then those in HTML. */
export function links(text: string): string[] {
  const withoutCode = prose(text);
  const inHtml = withoutCode.matchAll(/<(?:img|source)\s[^<>]{0,500}\bsrc(?:set)?="([^"\s]+)"/g);
  const inMarkdown = withoutCode.matchAll(/\]\(<?([^()\s>]+)>?(?:\s"[^"()]*")?\)/g);
  return [...inMarkdown, ...inHtml].map(([, target]) => target ?? '');
}

const MAX_PROSE_CHARACTERS = 100;

/**
 * Numbers of the lines of prose that are too long. Some cannot be broken and may be longer: tables, headings,
 * HTML, images, targets of links, and a code span that has its line to itself.
 */
export function longLines(text: string): number[] {
  return withoutFences(text)
    .split('\n')
    .flatMap((line, index) => {
      if (/^\s*(?:[|<#]|(?:- )?`[^`]+`$)/.test(line)) return [];
      const shown = line.replaceAll(/!\[[^\][]*\]\([^()\s]*\)/g, '').replaceAll(/\]\([^()\s]*\)/g, ']');
      return shown.length > MAX_PROSE_CHARACTERS ? [index + 1] : [];
    });
}

/** Anchors of a page's headings outside of fenced blocks, as forges generate them. */
export function anchors(text: string): Set<string> {
  const plain = withoutFences(text);
  const seen = new Map<string, number>();
  return new Set(
    [...plain.matchAll(/^#{1,6}[ \t](.+)$/gm)].map(([, heading]) => {
      const slug = slugOf(heading?.trim() ?? '');
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      return times === 0 ? slug : `${slug}-${times}`;
    }),
  );
}

function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}
