import { labelAt, stringAt, stringsAt } from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { LocatedString } from '#domain/language/read-attribute.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Command, CustomCommand } from './command.ts';
import type { KnownRunners, RunnerTemplates } from './compile-context.ts';
import { readDockerArgs, type DockerArgs } from './docker-args.ts';
import { readEnvironmentVariables } from './environment.ts';
import { fillTemplate, namesInTemplates } from './runner-templates.ts';

const pathPart = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
/** `[<registry>/]<path>[:<tag>][@<digest>]` */
const image = new RegExp(
  [
    String.raw`^(?:[a-zA-Z0-9][a-zA-Z0-9.-]*(?::\d{1,5})?\/)?`,
    `${pathPart}(?:/${pathPart})*`,
    '(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$',
  ].join(''),
);

export interface ReadingContext {
  report: Report;
  runners: KnownRunners;
  /** The image may contain `$param_…`, because it is filled in as soon as the parameters are known. */
  imageFromParams?: boolean;
}

/** Reads a command block. Returns undefined after reporting an error. */
export function readCommand(block: ReadBlock, context: ReadingContext): Command | undefined {
  const runner = labelAt(block, 0).text;
  const custom = context.runners.get(runner);
  if (custom === 'broken') return undefined;
  const docker = !custom && runner === 'docker' ? readDockerFlags(block, context) : undefined;
  const environment = readEnvironmentVariables(block, context.report, docker?.variables ?? []);
  const command = custom
    ? readCustom(block, { name: runner, ...custom }, context.report)
    : readProgram(block, runner, context, docker);
  return command && { ...command, ...environment };
}

function readProgram(
  block: ReadBlock,
  runner: string,
  context: ReadingContext,
  docker: DockerArgs | undefined,
): Command | undefined {
  if (docker) return readDocker(block, docker, context);
  return runner === 'exec' ? readExec(block, context.report) : readShell(block, context.report);
}

/** The attributes with a string, and the parameters of the block. Templates can refer to both. */
export function attributesOf({ attributes, parameters }: ReadBlock): Record<string, string> {
  const named = [...attributes].flatMap(([name, { value }]): [string, string][] =>
    value?.kind === 'string' ? [[name, value.text]] : [],
  );
  return Object.fromEntries([
    ...named,
    ...parameters.map(({ name, text }): [string, string] => [name, text]),
  ]);
}

function readCustom(
  block: ReadBlock,
  { name, path, args, callers }: RunnerTemplates & { name: string },
  report: Report,
): CustomCommand | undefined {
  const attributesSet = attributesOf(block);
  const missing = [...namesInTemplates([path, ...args])].filter(
    (attribute) =>
      callers.has(attribute) &&
      !NAMES_IN_ALL_TEMPLATES.has(attribute) &&
      !Object.hasOwn(attributesSet, attribute) &&
      !block.attributes.has(attribute) &&
      !block.misread.has(attribute),
  );
  const attributes = { ...attributesSet, ...Object.fromEntries(missing.map((attribute) => [attribute, ''])) };
  if (fillTemplate(path, new Map(Object.entries(attributes))) === '') {
    const message = `the path of the runner ${name} becomes empty, so nothing would run`;
    report(diagnose('invalid-command', block.range, message, `Set what its path ${path} names.`));
    return undefined;
  }
  for (const attribute of missing) {
    const message = `$${attribute} in the runner ${name} is empty: there is no attribute "${attribute}" here`;
    report(diagnose('runner-attribute', block.range, message));
  }
  const callerArgs = stringsAt(block, 'args').map(({ text }) => text);
  return { runner: 'custom', name, path, args, attributes, callerArgs };
}

/** Names with a meaning in every template. They need no attribute. */
const NAMES_IN_ALL_TEMPLATES: ReadonlySet<string> = new Set(['args', 'env', 'WORKDIR']);

function readExec(block: ReadBlock, report: Report): Command | undefined {
  const path = stringAt(block, 'path');
  if (path && path.text !== '')
    return { runner: 'exec', path: path.text, args: stringsAt(block, 'args').map(({ text }) => text) };
  if (!block.attributes.has('path') || path) {
    report(
      diagnose(
        'invalid-command',
        path?.range ?? block.range,
        `the runner exec needs a path`,
        'Write path = "…", the program to run.',
      ),
    );
  }
  return undefined;
}

function readShell(block: ReadBlock, report: Report): Command | undefined {
  const scriptAttributes = ['cmd', 'file'].filter((name) => block.attributes.has(name));
  if (scriptAttributes.length !== 1) {
    const set = scriptAttributes.length === 0 ? 'neither' : 'both';
    const help = 'Write cmd for a script in place, or file for one in the working directory.';
    report(
      diagnose(
        'invalid-command',
        block.range,
        `the runner shell needs either cmd or file, and has ${set}`,
        help,
      ),
    );
    return undefined;
  }
  const shell = stringAt(block, 'shell');
  if (block.attributes.has('shell') && !checkNotEmpty(shell, report)) return undefined;
  const shellField = shell ? { shell: shell.text } : {};
  const cmd = stringAt(block, 'cmd');
  if (cmd) return { runner: 'shell', cmd: cmd.text, ...shellField };
  const file = stringAt(block, 'file');
  return file && checkNotEmpty(file, report)
    ? { runner: 'shell', file: file.text, ...shellField }
    : undefined;
}

function readDockerFlags(block: ReadBlock, { report }: ReadingContext): DockerArgs {
  return readDockerArgs(block, report, { runsImage: !block.attributes.has('cmd') });
}

function readDocker(
  block: ReadBlock,
  { entrypoint }: DockerArgs,
  context: ReadingContext,
): Command | undefined {
  const name = stringAt(block, 'image');
  if (!name || !checkImage(name, context)) return undefined;
  const dockerFields = { runner: 'docker', image: name.text } as const;
  const cmd = stringAt(block, 'cmd');
  if (cmd) return { ...dockerFields, cmd: cmd.text };
  if (block.attributes.has('cmd')) return undefined;
  return entrypoint === undefined
    ? { ...dockerFields, entrypoint: true }
    : { ...dockerFields, path: entrypoint, args: [] };
}

/** Whether the text has the form of an image name: `[<registry>/]<path>[:<tag>][@<digest>]`. */
export const isImage = (text: string): boolean => image.test(text);

const parameterReference = /\$(?:param_\w+|\{param_\w+(?::-[\w.-]*)?\})/g;

/** Whether the text is the name of an image that is known before the build starts. Reports it if not. */
export function checkImage(
  { text, range }: LocatedString,
  { report, imageFromParams = false }: ReadingContext,
): boolean {
  const withoutParams = imageFromParams ? text.replaceAll(parameterReference, '1') : text;
  const [reference] = /\$(?:\{\w*\}?|\w+)/.exec(withoutParams) ?? [];
  if (reference !== undefined) {
    report(
      diagnose(
        'dynamic-image',
        range,
        `the image depends on ${reference}, which is known only while a build runs`,
      ),
    );
    return false;
  }
  if (isImage(withoutParams)) return true;
  report(diagnose('invalid-image', range, `${JSON.stringify(text)} is not the name of an image`));
  return false;
}

function checkNotEmpty(text: LocatedString | undefined, report: Report): boolean {
  if (text?.text === '')
    report(diagnose('invalid-command', text.range, 'this must not be empty', 'Name a file.'));
  return text !== undefined && text.text !== '';
}
