import { diagnose } from '#domain/language/diagnostic.ts';
import type { Report } from '#domain/language/diagnostic.ts';
import { blocksOf, labelAt, textAt } from '#domain/language/read-block.ts';
import type { Parameter, ReadBlock } from '#domain/language/read-block.ts';
import { closest, didYouMean } from '#domain/language/suggest.ts';
import type { Label } from '#domain/language/syntax.ts';
import { laterBuiltInTypes } from './built-in-types.ts';
import { checkName, claimName } from './name.ts';
import type { Resource, Schedule } from './pipeline.ts';
import type { KnownType, KnownTypes } from './resource-types.ts';
import { parseSchedule } from './schedule.ts';
import { findSecretNames } from './secret-placeholder.ts';

export interface KnownResource {
  resource: Resource;
  type: KnownType;
}

export interface KnownResources {
  /** By canonical name; `broken`: declared, but wrong, and reported. */
  byName: Map<string, KnownResource | 'broken'>;
}

export function readResources(
  blocks: readonly ReadBlock[],
  types: KnownTypes,
  report: Report,
): KnownResources['byName'] {
  const taken = new Map<string, Label>();
  const resources = new Map<string, KnownResource | 'broken'>();
  for (const block of blocks) {
    const label = labelAt(block, 1);
    const name = `${labelAt(block, 0).text}.${label.text}`;
    const named = checkName(report, 'name', 'resource', label);
    if (!claimName(taken, report, 'resource', { text: name, range: label.range })) continue;
    const type = findType(block, types, report);
    const resource = type && readResource(block, type, report);
    resources.set(name, resource && named ? { resource, type } : 'broken');
  }
  return resources;
}

function findType(block: ReadBlock, types: KnownTypes, report: Report): KnownType | undefined {
  const { text, range } = labelAt(block, 0);
  const type = types.find(text);
  if (type === 'broken') return undefined;
  if (type) return type;
  report(
    laterBuiltInTypes.includes(text)
      ? diagnose(
          'later-feature',
          range,
          `the resource type ${text} is known, but this version does not have it yet`,
        )
      : diagnose(
          'unknown-type',
          range,
          `there is no resource type "${text}"${didYouMean(text, types.names)}`,
        ),
  );
  return undefined;
}

function readResource(block: ReadBlock, known: KnownType, report: Report): Resource {
  const { type } = known;
  const label = labelAt(block, 1).text;
  const schedule = readSchedule(block, known, report);
  return {
    name: `${type.name}.${label}`,
    type: type.name,
    label,
    params: readParams(block, known, report),
    ...(schedule && { schedule }),
    tags: [],
    cache: type.cache,
  };
}

function readParams(block: ReadBlock, known: KnownType, report: Report): Record<string, string> {
  const [params] = blocksOf(block, 'params');
  const parameters = params?.parameters ?? [];
  for (const parameter of parameters) checkParameter(parameter, known, report);
  if (!block.misread.has('params')) requireParameters(params ?? block, parameters, known, report);
  return Object.fromEntries(parameters.map(({ name, text }) => [name, text]));
}

function requireParameters(
  owner: ReadBlock,
  parameters: readonly Parameter[],
  { type, rules }: KnownType,
  report: Report,
): void {
  for (const name of rules?.required ?? []) {
    const found = parameters.find((parameter) => parameter.name === name);
    if ((found && found.text !== '') || owner.misread.has(name)) continue;
    const message = `a ${type.name} resource needs the parameter ${name}`;
    report(diagnose('missing-parameter', found?.range ?? owner.range, message));
  }
}

function checkParameter(
  { name, nameRange, text, range }: Parameter,
  { type, rules }: KnownType,
  report: Report,
): void {
  if (!type.params.includes(name)) {
    const meant = closest(name, type.params);
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    report(
      diagnose('unknown-parameter', nameRange, `the type ${type.name} has no parameter "${name}"${hint}`),
    );
  }
  if (text === '' || findSecretNames(text).length > 0) return;
  const bad = rules?.explainBad(name, text);
  if (bad) report(diagnose(bad.code, range, bad.reason));
}

function readSchedule(block: ReadBlock, { type }: KnownType, report: Report): Schedule | undefined {
  const interval = textAt(block, 'check_interval');
  if (!interval) return undefined;
  const answer = parseSchedule(interval.text);
  if ('code' in answer) {
    const message = `check_interval "${interval.text}": ${answer.reason}`;
    report(diagnose(answer.code, interval.range, message, answer.help));
    return undefined;
  }
  if (!type.check && !type.builtIn) {
    const message = `check_interval has no effect: the type ${type.name} has no check`;
    report(diagnose('schedule-without-check', interval.range, message));
  }
  return answer.schedule;
}
