import {
  HighlightStyle,
  StreamLanguage,
  syntaxHighlighting,
  type StreamParser,
  type StringStream,
} from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { tags } from '@lezer/highlight';

/** A construct that has begun and not ended, such as a string or a bracket. */
type OpenConstruct =
  | { kind: 'string' }
  | { kind: 'heredoc'; tag: string }
  | { kind: 'template' }
  | { kind: 'bracket' };

interface HclState {
  /** Innermost last. */
  open: OpenConstruct[];
  inComment: boolean;
  /** The tag of the heredoc that begins on the next line. */
  pending: string | undefined;
}

const ATOMS = new Set(['true', 'false', 'null']);
const INDENT = 2;

/** Splits HCL into tokens for colours. It reads line by line and never fails, even if the text is broken. */
const parser: StreamParser<HclState> = {
  name: 'hcl',
  startState: () => ({ open: [], inComment: false, pending: undefined }),
  copyState: ({ open, ...rest }) => ({ ...rest, open: [...open] }),
  token: (stream, state) => {
    if (stream.sol() && state.pending !== undefined) {
      state.open.push({ kind: 'heredoc', tag: state.pending });
      state.pending = undefined;
    }
    if (state.inComment) return comment(stream, state);
    const inner = state.open.at(-1);
    if (inner?.kind === 'heredoc') return heredoc(stream, state, inner.tag);
    return inner?.kind === 'string' ? quoted(stream, state) : code(stream, state);
  },
  indent: ({ open }, textAfter) => {
    if (open.some(({ kind }) => kind === 'heredoc')) return null;
    const depth = open.filter(({ kind }) => kind === 'bracket').length;
    const closes = '}])'.includes(textAfter.trimStart().slice(0, 1) || ' ') ? 1 : 0;
    return Math.max(0, depth - closes) * INDENT;
  },
  languageData: { commentTokens: { line: '#' }, closeBrackets: { brackets: ['(', '[', '{', '"'] } },
};

function code(stream: StringStream, state: HclState): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match('#') || stream.match('//')) return toEnd(stream, 'comment');
  if (stream.match('/*')) {
    state.inComment = true;
    return comment(stream, state);
  }
  if (stream.match('<<')) return startHeredoc(stream, state);
  if (stream.eatWhile(/[\w-]/)) return word(stream);
  const character = stream.next() ?? '';
  if (character === '"') {
    state.open.push({ kind: 'string' });
    return 'string';
  }
  return bracket(character, state);
}

function bracket(character: string, { open }: HclState): string {
  if ('{[('.includes(character)) {
    open.push({ kind: 'bracket' });
    return 'bracket';
  }
  if (!'}])'.includes(character)) return 'operator';
  // A bracket closes a template or a bracket, but never a string around it.
  const closed = open.pop();
  return closed?.kind === 'template' ? 'special' : 'bracket';
}

function word(stream: StringStream): string {
  const text = stream.current();
  if (/^\d/.test(text)) return 'number';
  if (ATOMS.has(text)) return 'atom';
  const isFirst = stream.string.slice(0, stream.start).trim() === '';
  const rest = stream.string.slice(stream.pos).trimStart();
  if (isFirst && !rest.startsWith('=') && (rest.startsWith('{') || rest.startsWith('"'))) return 'keyword';
  if (rest.startsWith('=') && !rest.startsWith('==')) return 'propertyName';
  return rest.startsWith('(') ? 'function' : 'variableName';
}

function toEnd(stream: StringStream, style: string): string {
  stream.skipToEnd();
  return style;
}

function comment(stream: StringStream, state: HclState): string {
  while (!stream.eol()) {
    if (stream.match('*/')) {
      state.inComment = false;
      break;
    }
    stream.next();
  }
  return 'comment';
}

function startHeredoc(stream: StringStream, state: HclState): string {
  stream.eat('-');
  stream.eatWhile(/\w/);
  const tag = stream.current().replace('<<', '').replace('-', '');
  if (tag !== '') state.pending = tag;
  return 'special';
}

function heredoc(stream: StringStream, state: HclState, tag: string): string {
  if (stream.sol() && stream.string.trim() === tag) {
    state.open.pop();
    return toEnd(stream, 'special');
  }
  return template(stream, state, '');
}

/** A text in quotes ends with its line at the latest. */
function quoted(stream: StringStream, state: HclState): string {
  const style = template(stream, state, '"');
  if (stream.eol() && state.open.at(-1)?.kind === 'string') state.open.pop();
  return style;
}

/** Reads text up to the next template or `end`, which is the quote, or empty in a heredoc. */
function template(stream: StringStream, state: HclState, end: string): string {
  if (stream.match('${') || stream.match('%{')) {
    state.open.push({ kind: 'template' });
    return 'special';
  }
  while (!stream.eol() && !startsTemplate(stream)) {
    const character = stream.next() ?? '';
    // `$${` is the text `${`.
    if (character === '$') stream.match('${');
    else if (character === '\\' && end !== '') stream.next();
    else if (character === end) {
      state.open.pop();
      break;
    }
  }
  return 'string';
}

const startsTemplate = (stream: StringStream): boolean =>
  Boolean(stream.match('${', false)) || Boolean(stream.match('%{', false));

const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.atom], color: 'var(--busy)' },
  { tag: tags.keyword, color: 'var(--link)', fontWeight: '600' },
  { tag: tags.special(tags.string), color: 'var(--over)' },
  { tag: tags.function(tags.variableName), color: 'var(--over)' },
]);

const hclLanguage = StreamLanguage.define({
  ...parser,
  tokenTable: { special: tags.special(tags.string), function: tags.function(tags.variableName) },
});

export const hcl: Extension = [hclLanguage, syntaxHighlighting(colours)];
