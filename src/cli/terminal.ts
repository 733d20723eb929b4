import { styleText } from 'node:util';
import type { HclCompiler } from '#adapters/hcl/compile.ts';
import { explain } from './explain.ts';
import { keysOf } from './raw-keys.ts';

/** What a command uses besides files; tests replace it. */
export interface Terminal {
  /** Results. */
  out(text: string | Uint8Array): void;
  /** Messages for people, besides the results. */
  err(text: string): void;
  /** Throws a `CommandError` if the standard input is a terminal. */
  stdin(): AsyncIterable<Uint8Array>;
  /** Whether results go to a screen, not into a file or a pipe. */
  isScreen: boolean;
  /** Whether the reader of standard output has closed it. */
  readonly isOver?: boolean;
  colour: boolean;
  /** Prompts for a line, with or without echo. Absent if nobody is at the terminal. */
  ask?: (question: string, visibility: 'shown' | 'hidden') => Promise<string>;
  /** The keys that the user presses. Absent unless input and output are both a terminal. */
  keys?: Keys;
  /** Opens the compiler. Absent: the command opens its own. */
  openCompiler?: () => HclCompiler;
  /** Opens a page. Absent: the browser of the system. */
  openBrowser?: (address: string) => Promise<void>;
  /** Replaces the environment of the process. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Waits this many milliseconds. Absent: a timer. */
  pause?: (milliseconds: number) => Promise<void>;
}

/** A terminal whose keys a command can take, for example to send them to a shell in a Pod. */
export interface Keys {
  size(): { columns: number; rows: number };
  /** Passes on keys unchanged and without echo, until the returned function is called. */
  take(listener: { keys: (bytes: Uint8Array) => void; resized: () => void }): () => void;
}

export type ColourWhen = 'auto' | 'always' | 'never';

/** `auto`: colours on a screen, unless NO_COLOR, FORCE_COLOR or a similar variable says otherwise. */
export function openTerminal(when: ColourWhen): Terminal {
  const { stdout, stderr, stdin } = process;
  const isScreen = stdout.isTTY;
  let isOver = false;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader may have seen enough: `millrace plan … | head`.
    if (error.code === 'EPIPE') {
      isOver = true;
      return;
    }
    stderr.write(`millrace: the output cannot be written: ${explain(error)}\n`);
    // The output is incomplete, so the command cannot succeed.
    process.exit(EXIT.error);
  });
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    stdin() {
      if (!stdin.isTTY) return stdin;
      throw new CommandError('no input: name a file, or pipe a pipeline into the command');
    },
    isScreen,
    get isOver() {
      return isOver;
    },
    ...(stdin.isTTY && stdout.isTTY && { keys: keysOf(stdin, stdout) }),
    ...(stdin.isTTY && {
      async ask(question, visibility) {
        const { promptOn } = await import('./client/prompt.ts');
        return await promptOn({ input: stdin, output: stderr }, question, visibility);
      },
    }),
    colour: when === 'always' || (when === 'auto' && takesColour(stdout)),
  };
}

/** Node.js reads the environment and the stream to decide whether to style text. */
const takesColour = (stream: NodeJS.WriteStream): boolean => styleText('red', '.', { stream }) !== '.';

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

export const painter = ({ colour }: Pick<Terminal, 'colour'>): Paint =>
  colour ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text;

/**
 * Exit codes. `failure`: the command did its work, and the answer is no, such as for an invalid pipeline or a
 * failed build. `error`: a usage error, or the command could not do its work.
 */
export const EXIT = { success: 0, failure: 1, error: 2 } as const;
export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** The command cannot do its work. The message says why, and usually what to do. Exits with `EXIT.error`. */
export class CommandError extends Error {}
