import { diagnose } from '#domain/language/diagnostic.ts';
import type { Report } from '#domain/language/diagnostic.ts';
import { blocksOf, labelAt, textAt, textsAt } from '#domain/language/read-block.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Text } from '#domain/language/read-attribute.ts';
import { didYouMean } from '#domain/language/suggest.ts';
import type { Label } from '#domain/language/syntax.ts';
import { builtInTypes, findBuiltInType, laterBuiltInTypes } from './built-in-types.ts';
import type { BuiltInType, ParameterRules } from './built-in-types.ts';
import { readCommand } from './command.ts';
import { checkName, claimName } from './name.ts';
import type { Command, ResourceType } from './pipeline.ts';

export interface KnownType {
  type: ResourceType;
  /** What a built-in type asks of its parameters. */
  rules?: ParameterRules;
}

export interface KnownTypes {
  /** `broken`: declared, but wrong, and reported. */
  find: (name: string) => KnownType | 'broken' | undefined;
  names: string[];
}

/** With `someMisread` a type whose block could not be read may have any name, also that of a built-in one. */
export function readResourceTypes(
  blocks: readonly ReadBlock[],
  someMisread: boolean,
  report: Report,
): KnownTypes {
  const taken = new Map<string, Label>();
  const types = new Map<string, KnownType | 'broken'>();
  for (const block of blocks) {
    const label = labelAt(block, 0);
    const named = checkName(report, 'type', 'resource type', label);
    if (!claimName(taken, report, 'resource type', label) || !named) continue;
    types.set(label.text, readResourceType(block, label.text, report) ?? 'broken');
  }
  const find = (name: string): KnownType | 'broken' | undefined => {
    const builtIn = findBuiltInType(name);
    const other = someMisread ? 'broken' : builtIn && instantiate(builtIn, name);
    return types.get(name) ?? other;
  };
  return { find, names: [...types.keys(), ...builtInTypes.map(({ type }) => type.name)] };
}

function instantiate({ type, rules }: BuiltInType, name: string): KnownType {
  return { type: { ...type, name }, ...(rules && { rules }) };
}

function readResourceType(block: ReadBlock, name: string, report: Report): KnownType | undefined {
  if (block.attributes.has('source')) {
    const builtIn = readSource(block, report);
    return builtIn && instantiate(builtIn, name);
  }
  const operations = ['check', 'pull', 'push'].map((operation) => readOperation(block, operation, report));
  if (operations.includes('broken') || block.misread.size > 0) return undefined;
  return {
    type: {
      name,
      builtIn: false,
      params: textsAt(block, 'params')
        .filter((param) => checkParameterName(param, report))
        .map(({ text }) => text),
      cache: false,
      ...Object.assign({}, ...operations),
    },
  };
}

type Operations = Pick<ResourceType, 'check' | 'pull' | 'push'>;

function readOperation(block: ReadBlock, operation: string, report: Report): Operations | 'broken' {
  const [command] = blocksOf(block, operation);
  if (!command) return {};
  const read = isNothing(command) ? nothing : readCommand(command, report);
  return read ? { [operation]: read } : 'broken';
}

/** An empty `pull` or `push` is a step that does nothing, and succeeds. */
const nothing: Command = { runner: 'exec', path: 'true', args: [] };

function isNothing({ type, labels, attributes }: ReadBlock): boolean {
  return type !== 'check' && labels[0]?.text === 'exec' && attributes.size === 0;
}

function readSource(block: ReadBlock, report: Report): BuiltInType | undefined {
  const inline = block.blocks.find(({ type }) => ['check', 'pull', 'push'].includes(type));
  if (inline) {
    const message = `source and ${inline.type} exclude each other: the source brings its own commands`;
    report(diagnose('source-with-commands', inline.range, message));
  }
  const params = block.attributes.get('params');
  if (params) {
    const message = 'source and params exclude each other: the source brings its own parameters';
    report(diagnose('source-with-commands', params.range, message));
  }
  const source = textAt(block, 'source');
  const builtIn = source && findSource(source, report);
  return (inline ?? params) ? undefined : builtIn;
}

function findSource({ text, range }: Text, report: Report): BuiltInType | undefined {
  const [, name] = /^svc:\/\/([a-z0-9][a-z0-9._-]*)$/.exec(text) ?? [];
  const builtIn = name === undefined ? undefined : findBuiltInType(name);
  if (builtIn) return builtIn;
  if (name === undefined && !/^https?:\/\/[^\s/]+/.test(text)) {
    report(diagnose('invalid-source', range, `${JSON.stringify(text)} is not a source`));
    return undefined;
  }
  const names = builtInTypes.map(({ type }) => `svc://${type.name}`);
  const known = laterBuiltInTypes.includes(name ?? '');
  const suggestion = known || name === undefined ? '' : didYouMean(text, names);
  const message = `this version has only the sources ${names.join(' and ')}, not ${text}${suggestion}`;
  report(diagnose('later-feature', range, message));
  return undefined;
}

function checkParameterName({ text, range }: Text, report: Report): boolean {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return true;
  report(diagnose('unreadable-parameter', range, `a shell cannot read $param_${text}`));
  return /^[^\s=\p{Cc}]+$/u.test(text);
}
