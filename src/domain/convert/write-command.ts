import type { Conversion } from './conversion.ts';
import {
  hclAttribute,
  hclBlock,
  quoteText,
  writeObject,
  writeScript,
  type HclBlock,
  type HclNode,
  type TemplatePart,
} from './write-hcl.ts';
import { joinParts, templateParts } from './write-value.ts';
import type { YamlFields } from './yaml-fields.ts';
import type { YamlSpan } from './yaml-tree.ts';

/** The environment variables of a task. */
export interface TaskEnvironment {
  /**
   * The values that are known before the build runs, as HCL expressions, by the name of the environment
   * variable.
   */
  fixed: Map<string, string>;
  /**
   * The values that are known only while the build runs, by the name of the environment variable. The script
   * of the task exports them.
   */
  running: Map<string, TemplatePart[]>;
  /**
   * The names of the environment variables that pass pipeline variables to the script, by the name of the
   * pipeline variable.
   */
  arguments: Map<string, string>;
}

interface ScriptInput {
  run: YamlFields;
  /** Lines of the script before the command. */
  before: string[];
  environment: TaskEnvironment;
}

/**
 * Writes the script of a task. Concourse runs `run.path` with `run.args` and no shell. Millrace runs a shell
 * script that calls the same program or, if the program is `sh -c`, the script in its arguments.
 */
export function writeCommand({ run, before, environment }: ScriptInput, conversion: Conversion): HclNode[] {
  const body: HclNode[] = [];
  const path = run.needed('path') ?? 'true';
  const args = run.texts('args');
  const folder = run.text('dir');
  run.leaveOut(body, {
    user: 'the user of the image, or the security profile of the Team, runs the command',
  });
  run.end(body);
  const parts = (text: string, span: YamlSpan): TemplatePart[] =>
    templateParts(text, span, 'running', conversion);
  const lines: TemplatePart[] = before.flatMap((line) => [line, '\n']);
  for (const [name, value] of environment.running)
    lines.push(`export ${name}=`, ...quoteParts(value, environment), '\n');
  if (folder !== undefined) lines.push('cd ', ...quoteParts(parts(folder, run.span), environment), '\n');
  const [flags, script, ...others] = args;
  const options = flags && script && others.length === 0 ? optionsOf(path, flags.text) : undefined;
  if (options !== undefined && script) {
    const scriptParts = parts(script.text, script.span);
    reportSingleQuotes(scriptParts, { body, span: script.span }, conversion);
    lines.push(...options, ...scriptParts.map(escapeSign));
  } else {
    const words = [{ text: path, span: run.span }, ...args];
    lines.push(
      ...words.flatMap(({ text, span }, at) => [
        at === 0 ? '' : ' ',
        ...quoteParts(parts(text, span), environment),
      ]),
    );
  }
  return [...body, hclAttribute('cmd', writeScript(endLine(joinParts(lines))))];
}

/** The script with a line end at its end, which a heredoc needs. */
function endLine(parts: readonly TemplatePart[]): TemplatePart[] {
  const last = parts.at(-1);
  return typeof last === 'string' && last.endsWith('\n') ? [...parts] : joinParts([...parts, '\n']);
}

/**
 * The `set` commands that give the script the same shell options as in Concourse. Millrace runs the script
 * with `sh -e`. Undefined: the program is not `sh -c`, or has other options than e, u and x.
 */
function optionsOf(path: string, flags: string): string[] | undefined {
  if (!['sh', '/bin/sh'].includes(path) || !/^-[eux]{0,3}c[eux]{0,3}$/.test(flags)) return undefined;
  const lines = ['u', 'x'].filter((letter) => flags.includes(letter)).map((letter) => `set -${letter}\n`);
  return flags.includes('e') ? lines : ['set +e\n', ...lines];
}

/**
 * Quotes the parts as one word of a shell. The values of variables are passed in environment variables, so
 * that no value can end the quotes.
 */
export function quoteParts(parts: readonly TemplatePart[], environment: TaskEnvironment): TemplatePart[] {
  return parts.map((part) => {
    if (typeof part === 'string') return quoteWord(part);
    return `"$${argumentName(part, environment)}"`;
  });
}

/**
 * The environment variable that passes a pipeline variable to the script. Adds it to the environment when it
 * is first needed. Its name differs from all other names in the environment.
 */
function argumentName(part: { variable: string }, environment: TaskEnvironment): string {
  const known = environment.arguments.get(part.variable);
  if (known !== undefined) return known;
  const base = `ARG_${part.variable.toUpperCase().replaceAll('-', '_')}`;
  let name = base;
  for (let number = 2; environment.fixed.has(name) || environment.running.has(name); number++)
    name = `${base}_${number}`;
  environment.arguments.set(part.variable, name);
  environment.fixed.set(name, quoteText([part]));
  return name;
}

/** A block `run` whose script prints the text and fails. */
export function failingRun(text: string): HclBlock {
  const plain = Array.from(text, (letter) => (/[A-Za-z0-9_./, -]/.test(letter) ? letter : ' ')).join('');
  return hclBlock('run', ['shell'], [hclAttribute('cmd', writeScript([`echo '${plain}' >&2\nexit 1\n`]))]);
}

/** Matches a reference `${TASK_…}` to the output of a task that replaces a `load_var`. */
const RUNNING_REFERENCE = /\$\{TASK_[A-Z0-9_]+\}/g;

/**
 * Escapes a `$` directly before a reference. Without the escape, the shell would read `$$` as the ID of its
 * process.
 */
const escapeSign = (part: TemplatePart): TemplatePart =>
  typeof part === 'string' ? part.replaceAll(/(?<!\\)\$(?=\$\{TASK_[A-Z0-9_]+\})/g, '\\$') : part;

/**
 * Reports a script that has both single quotes and references, because a shell replaces nothing between
 * single quotes.
 */
function reportSingleQuotes(
  parts: readonly TemplatePart[],
  { body, span }: { body: HclNode[]; span: YamlSpan },
  conversion: Conversion,
): void {
  if (parts.some(isRunning) && parts.some((part) => typeof part === 'string' && part.includes("'")))
    conversion.leaveOut(
      body,
      span,
      'values of load_var between single quotes have no counterpart: there, the shell does not fill them in',
    );
}

/** Whether the part refers to a value that is known only while the build runs. */
export const isRunning = (part: TemplatePart): boolean =>
  typeof part === 'string' && part.search(RUNNING_REFERENCE) >= 0;

/**
 * Quotes a word of a shell. References to values of the running build stay outside of the single quotes, so
 * that the shell replaces them.
 */
function quoteWord(text: string): string {
  const pieces: string[] = [];
  let end = 0;
  for (const match of text.matchAll(RUNNING_REFERENCE)) {
    pieces.push(quoteLiteral(text.slice(end, match.index)), `"${match[0]}"`);
    end = match.index + match[0].length;
  }
  if (end === 0) return text === '' ? "''" : quoteLiteral(text);
  return [...pieces, quoteLiteral(text.slice(end))].join('');
}

const quoteLiteral = (text: string): string =>
  Array.from(text).every((letter) => /[A-Za-z0-9_./:=@%+,-]/.test(letter))
    ? text
    : `'${text.replaceAll("'", "'\\''")}'`;

export const environmentAttribute = ({ fixed }: TaskEnvironment): HclNode[] =>
  fixed.size === 0 ? [] : [hclAttribute('env', writeObject([...fixed]))];
