import { blocksOf, stringAt } from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { JsonObject, JsonValue } from '#domain/language/json-value.ts';
import type { Parameter, ReadBlock } from '#domain/language/read-block.ts';
import type { Range } from '#domain/language/syntax.ts';
import type { Command } from './command.ts';
import type { CompileContext } from './compile-context.ts';
import { LIMITS } from './limits.ts';
import type { ResourceType } from './pipeline.ts';
import { checkImage } from './read-command.ts';
import type { NamedType } from './type-kinds.ts';

/*
 * Types of another system: an image with programs that get and print JSON. Concourse's have /opt/resource/check,
 * in and out.
 */

/** What a type with a protocol has of its image, so the block cannot have it. */
const EXCLUDED = ['check', 'pull', 'push', 'runner', 'params', 'cache'];

export const hasProtocol = ({ attributes }: ReadBlock): boolean =>
  attributes.has('protocol') || attributes.has('image');

export function readProtocolType(
  block: ReadBlock,
  context: CompileContext,
): Omit<ResourceType, keyof NamedType> | undefined {
  const { report } = context;
  const { attributes, range } = block;
  const [name, given] = [...attributes].find(([attribute]) => attribute === 'protocol') ?? [];
  if (name === undefined) {
    const message = 'image has no meaning without a protocol';
    const help = 'Add protocol = "concourse", or name the image in check, pull and push.';
    report(diagnose('type-protocol', attributes.get('image')?.nameRange ?? range, message, help));
    return undefined;
  }
  const excluded = partsOf(block).filter((part) => EXCLUDED.includes(part.name));
  for (const part of excluded) {
    const message = `${part.name} cannot be used with protocol: the image has all programs`;
    report(diagnose('type-protocol', part.range, message, `Remove ${part.name}, or protocol.`));
  }
  const image = stringAt(block, 'image');
  if (!attributes.has('image')) {
    const message = 'a type with a protocol needs an image';
    report(diagnose('type-protocol', given?.nameRange ?? range, message, 'Add image = "…".'));
  }
  const isSound = image !== undefined && checkImage(image, context) && excluded.length === 0;
  if (!isSound || given?.value === undefined) return undefined;
  const program = (file: string): Command => ({
    runner: 'docker',
    image: image.text,
    path: `/opt/resource/${file}`,
    args: [],
  });
  return {
    params: [],
    cache: false,
    protocol: 'concourse',
    check: program('check'),
    pull: program('in'),
    push: program('out'),
  };
}

function partsOf({ attributes, blocks }: ReadBlock): { name: string; range: Range }[] {
  return [
    ...[...attributes].map(([name, { nameRange }]) => ({ name, range: nameRange })),
    ...blocks.map(({ type, range }) => ({ name: type, range })),
  ];
}

/** The parameters with their types, as a program of the type reads them. */
export function valuesByName(
  parameters: readonly Parameter[],
  what: { name: string; range: Range },
  report: Report,
): JsonObject {
  const found: [string, JsonValue][] = [];
  for (const { name, json, text, range } of parameters) {
    if (json && 'inexact' in json) {
      const message = `${name} has the number ${json.inexact}, which programs cannot read exactly`;
      report(diagnose('invalid-parameter', range, message, 'Write it as a text, in quotes.'));
    } else found.push([name, json ? json.json : text]);
  }
  const values = Object.fromEntries(found);
  if (JSON.stringify(values).length > LIMITS.protocolCharacters) {
    const message = `${what.name} is longer than ${LIMITS.protocolCharacters} characters as JSON`;
    report(diagnose('invalid-parameter', what.range, message, 'Pass large values as files.'));
  }
  return values;
}

/** Parameters that must be texts. Reports the others. */
export function textParameters(parameters: readonly Parameter[], report: Report): Parameter[] {
  for (const { problem } of parameters) if (problem) report(problem);
  return parameters.filter(({ problem }) => problem === undefined);
}

/** The `params` of a get: only programs of a protocol take them. */
export function readGetParams(
  block: ReadBlock,
  type: (Pick<ResourceType, 'protocol'> & { name: string }) | undefined,
  report: Report,
): { protocolParams?: JsonObject } {
  const [params] = blocksOf(block, 'params');
  if (params === undefined || type === undefined) return {};
  if (type.protocol !== undefined) {
    const what = { name: 'params', range: params.range };
    return { protocolParams: valuesByName(params.parameters, what, report) };
  }
  const message = `params has no effect: only a get of a type with a protocol takes it, and ${type.name} has none`;
  report(diagnose('get-params', params.range, message));
  return {};
}
