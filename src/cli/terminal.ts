import { styleText } from 'node:util';
import type { HclCompiler } from '#adapters/hcl/compile.ts';
import { explain } from './explain.ts';

/** What a verb sees of the world besides files: tests give it another one. */
export interface Terminal {
  /** Results. */
  out(text: string | Uint8Array): void;
  /** What people should know besides. */
  err(text: string): void;
  stdin(): AsyncIterable<Uint8Array>;
  /** Results go to a screen, not into a file or a pipe. */
  isScreen: boolean;
  /** Whoever took results has gone. */
  readonly isOver?: boolean;
  colour: boolean;
  /** Asks whoever sits there for a line, which a screen shows or not; absent where nobody does. */
  ask?: (question: string, line: 'shown' | 'hidden') => Promise<string>;
  /** What reads pipelines in place of a compiler of the verb's own. */
  openCompiler?: () => HclCompiler;
  /** In place of the environment of the process. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Waits, in place of a clock, for so many milliseconds. */
  pause?: (milliseconds: number) => Promise<void>;
}

export type ColourWhen = 'auto' | 'always' | 'never';

/**
 * `auto`: on a screen, unless NO_COLOR, FORCE_COLOR or the like says otherwise, as Node.js understands them.
 */
export function openTerminal(when: ColourWhen): Terminal {
  const { stdout, stderr, stdin } = process;
  const isScreen = stdout.isTTY;
  let isOver = false;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever reads may have seen enough: `millrace plan … | head`.
    if (error.code === 'EPIPE') {
      isOver = true;
      return;
    }
    stderr.write(`millrace: the output cannot be written: ${explain(error)}\n`);
    // Nothing that could still be done makes it whole.
    process.exit(EXIT.misuse);
  });
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    stdin() {
      if (!stdin.isTTY) return stdin;
      throw new Misuse('no input: name a file, or pipe a pipeline into the command');
    },
    isScreen,
    get isOver() {
      return isOver;
    },
    ...(stdin.isTTY && {
      async ask(question, line) {
        const { promptOn } = await import('./client/prompt.ts');
        return await promptOn({ input: stdin, output: stderr }, question, line);
      },
    }),
    colour: when === 'always' || (when === 'auto' && takesColour(stdout)),
  };
}

/** Node.js asks the environment and the stream itself when it is to style a text for one. */
const takesColour = (stream: NodeJS.WriteStream): boolean => styleText('red', '.', { stream }) !== '.';

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

export const painter = ({ colour }: Pick<Terminal, 'colour'>): Paint =>
  colour ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text;

/**
 * Exit codes: everything is right; the pipelines are not; the command was used wrongly or could not do its
 * work.
 */
export const EXIT = { fine: 0, wrong: 1, misuse: 2 } as const;
export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** The command cannot do what was asked; the message says what to do. Ends with `EXIT.misuse`. */
export class Misuse extends Error {}
