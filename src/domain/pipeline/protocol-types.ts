import { blocksOf, stringAt } from '#domain/language/block-values.ts';
import { diagnose, type Diagnostic, type Report } from '#domain/language/diagnostic.ts';
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
 * Types with a protocol come from another system: an image has programs that get and print JSON. An image for
 * Concourse has the programs check, in and out in /opt/resource.
 */

/**
 * Attributes and blocks that a type with a protocol cannot have, because the image provides what they define.
 */
const EXCLUDED = ['check', 'pull', 'push', 'runner', 'params', 'cache'];

/**
 * Whether the block defines a type with a protocol. `image` alone counts, too, so that the missing `protocol`
 * is reported.
 */
export const hasProtocol = ({ attributes }: ReadBlock): boolean =>
  attributes.has('protocol') || attributes.has('image');

/** Returns undefined after reporting an error. */
export function readProtocolType(
  block: ReadBlock,
  context: CompileContext,
): Omit<ResourceType, keyof NamedType> | undefined {
  const problems = problemsOf(block);
  for (const problem of problems) context.report(problem);
  const image = stringAt(block, 'image');
  const isValid = image !== undefined && checkImage(image, context) && problems.length === 0;
  if (!isValid || block.attributes.get('protocol')?.value === undefined) return undefined;
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

function problemsOf(block: ReadBlock): Diagnostic[] {
  const { attributes, range } = block;
  const protocol = attributes.get('protocol');
  if (protocol === undefined) {
    const message = 'image has no meaning without a protocol';
    const help = 'Add protocol = "concourse", or name the image in check, pull and push.';
    return [diagnose('type-protocol', attributes.get('image')?.nameRange ?? range, message, help)];
  }
  const excluded = attributesAndBlocks(block).filter((item) => EXCLUDED.includes(item.name));
  const problems = excluded.map((item) => {
    const message = `${item.name} cannot be used with protocol: the image has all programs`;
    return diagnose('type-protocol', item.range, message, `Remove ${item.name}, or protocol.`);
  });
  if (attributes.has('image')) return problems;
  const message = 'a type with a protocol needs an image';
  return [...problems, diagnose('type-protocol', protocol.nameRange, message, 'Add image = "…".')];
}

function attributesAndBlocks({ attributes, blocks }: ReadBlock): { name: string; range: Range }[] {
  return [
    ...[...attributes].map(([name, { nameRange }]) => ({ name, range: nameRange })),
    ...blocks.map(({ type, range }) => ({ name: type, range })),
  ];
}

/** The parameters with their types, as a program of the type reads them. */
export function valuesByName(
  parameters: readonly Parameter[],
  subject: { name: string; range: Range },
  report: Report,
): JsonObject {
  const entries: [string, JsonValue][] = [];
  for (const { name, json, text, range } of parameters) {
    if (json && 'inexact' in json) {
      const message = `${name} has the number ${json.inexact}, which programs cannot read exactly`;
      report(diagnose('invalid-parameter', range, message, 'Write it as a text, in quotes.'));
    } else entries.push([name, json ? json.json : text]);
  }
  const values = Object.fromEntries(entries);
  if (JSON.stringify(values).length > LIMITS.protocolCharacters) {
    const message = `${subject.name} is longer than ${LIMITS.protocolCharacters} characters as JSON`;
    report(diagnose('invalid-parameter', subject.range, message, 'Pass large values as files.'));
  }
  return values;
}

/** The parameters whose values are texts. Reports those with other values. */
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
    const subject = { name: 'params', range: params.range };
    return { protocolParams: valuesByName(params.parameters, subject, report) };
  }
  const message = `params has no effect: only a get of a type with a protocol takes it, and ${type.name} has none`;
  report(diagnose('get-params', params.range, message));
  return {};
}
