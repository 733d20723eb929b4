import { defined } from '#defined';
import { blocksOf, boolAt, labelAt, stringAt } from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import { reportForInstance } from '#domain/language/in-instances.ts';
import type { LocatedString } from '#domain/language/read-attribute.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { didYouMean } from '#domain/language/suggest.ts';
import type { Label, Range } from '#domain/language/syntax.ts';
import { withArticle } from '#domain/language/with-article.ts';
import { builtInSource } from './built-in-source.ts';
import { instanceName } from './instances.ts';
import { LIMITS } from './limits.ts';
import { checkName, claimName } from './name.ts';
import { checkOldNames, type Renamed } from './old-names.ts';
import { textsByName, warnOfUnknown } from './parameter-names.ts';
import { checkParameters } from './parameter-rules.ts';
import type { Resource, ResourceType, Schedule } from './pipeline.ts';
import { textParameters, valuesByName } from './protocol-types.ts';
import { canonicalTimeZone, parseSchedule } from './schedule.ts';
import { readTags } from './tags.ts';
import type { KnownTypes, NamedType } from './type-kinds.ts';

export interface KnownResource {
  resource: Resource;
  type: ResourceType;
}

/** Resources by canonical name. `broken`: declared, but an error was reported. */
export type KnownResources = ReadonlyMap<string, KnownResource | 'broken'>;

export function readResources(
  blocks: readonly ReadBlock[],
  types: KnownTypes<Omit<ResourceType, keyof NamedType>>,
  report: Report,
): KnownResources {
  const taken = new Map<string, Label>();
  const resources = new Map<string, KnownResource | 'broken'>();
  const renamed: Renamed[] = [];
  for (const block of blocks) {
    const label = labelAt(block, 1);
    const name = `${labelAt(block, 0).text}.${label.text}`;
    const reportInInstance = reportForInstance(report, block.instance);
    const isNameValid = checkName(report, 'name', 'resource', label);
    if (!claimName(taken, report, 'resource', { text: name, range: label.range })) continue;
    const type = findType(block, 'resource type', types, report);
    const resource = type && readResource(block, type, reportInInstance);
    resources.set(name, resource && isNameValid ? { resource, type } : 'broken');
    const old = oldNameOf(block);
    if (old && checkOldName(block, old, reportInInstance))
      renamed.push({ name, old, report: reportInInstance });
  }
  checkOldNames('resource', renamed, (name) => resources.has(name));
  if (resources.size > LIMITS.resources) {
    const message = `the pipeline has ${resources.size} resources; at most ${LIMITS.resources} are allowed`;
    report(diagnose('too-many-instances', undefined, message));
  }
  return resources;
}

/** The type that the first label names. Undefined: there is none, or it has an error. Either was reported. */
export function findType<Definition>(
  { labels, range }: ReadBlock,
  noun: string,
  types: KnownTypes<Definition>,
  report: Report,
): (Definition & NamedType) | undefined {
  const label = labels[0] ?? { text: '', range };
  const type = types.find(label.text);
  if (type === 'broken') return undefined;
  if (type) return type;
  const message = `there is no ${noun} "${label.text}"${didYouMean(label.text, types.names)}`;
  const block = noun.replace(' ', '_');
  report(diagnose('unknown-type', label.range, message, `Declare it with a ${block} block.`));
  return undefined;
}

/**
 * The former name with its type. For an instance, it is the name of the former group's instance with the same
 * key.
 */
function oldNameOf(block: ReadBlock): LocatedString | undefined {
  const old = stringAt(block, 'old_name');
  if (!old) return undefined;
  const withType = old.text.includes('.') ? old.text : `${labelAt(block, 0).text}.${old.text}`;
  return { ...old, text: block.instance ? instanceName(withType, block.instance.key) : withType };
}

/** Whether the former name is valid. It may begin with a type and a dot, and that type must be valid, too. */
function checkOldName(block: ReadBlock, { range }: LocatedString, report: Report): boolean {
  const [, type, name = ''] = /^(?:([^.]*)\.)?(.*)$/s.exec(stringAt(block, 'old_name')?.text ?? '') ?? [];
  const isTypeValid = type === undefined || checkName(report, 'type', 'resource type', { text: type, range });
  return checkName(report, 'name', 'resource', { text: name, range }) && isTypeValid;
}

function readResource(block: ReadBlock, type: ResourceType, report: Report): Resource {
  const label = labelAt(block, 1).text;
  const old = oldNameOf(block);
  const timeZone = readTimeZone(block, report);
  const [schedule, webhookSchedule] = ['check_interval', 'webhook_interval'].map((attribute) =>
    inTimeZone(readSchedule(block, attribute, type, report), timeZone?.name),
  );
  if (timeZone !== undefined && schedule?.kind !== 'cron' && webhookSchedule?.kind !== 'cron')
    report(diagnose('time-zone-without-cron', timeZone.range, 'time_zone has no effect: no cron expression'));
  return {
    name: `${type.name}.${label}`,
    ...(old && { oldName: old.text }),
    type: type.name,
    label,
    ...readParams(block, type, report),
    ...defined({ schedule, webhookSchedule }),
    tags: readTags(block, 'tags', report),
    cache: type.protocol === undefined && (boolAt(block, 'cache') ?? type.cache),
  };
}

function readParams(
  block: ReadBlock,
  type: ResourceType,
  report: Report,
): Pick<Resource, 'params' | 'source'> {
  const [params] = blocksOf(block, 'params');
  const parameters = params?.parameters ?? [];
  if (type.protocol !== undefined) {
    warnOfCache(block, type, report);
    return { params: {}, source: valuesByName(parameters, { name: 'params', range: block.range }, report) };
  }
  const texts = textParameters(parameters, report);
  warnOfUnknown(texts, type, report);
  const description = withArticle(`${type.name} resource`);
  checkParameters(type, { parameters: texts, owner: ownerOf(block), context: block, description }, report);
  return { params: textsByName(texts) };
}

function warnOfCache(block: ReadBlock, { name, protocol }: ResourceType, report: Report): void {
  const cache = block.attributes.get('cache');
  if (cache === undefined || boolAt(block, 'cache') !== true) return;
  const message = `cache has no effect: programs of the protocol ${protocol} of ${name} know no cache`;
  report(diagnose('cache-without-effect', cache.nameRange, message));
}

/** The block where a missing parameter belongs. */
export function ownerOf(block: ReadBlock): ReadBlock {
  const [params = block] = blocksOf(block, 'params');
  return block.misread.has('params') ? block : params;
}

function readSchedule(
  block: ReadBlock,
  attribute: string,
  type: ResourceType,
  report: Report,
): Schedule | undefined {
  const interval = stringAt(block, attribute);
  if (!interval) return undefined;
  const answer = parseSchedule(interval.text);
  if ('code' in answer) {
    const message = `${attribute} "${interval.text}": ${answer.reason}`;
    report(diagnose(answer.code, interval.range, message, answer.help));
    return undefined;
  }
  const isNeverChecked = isBuiltInWithoutCommands(type) ? isTriggerStream(type) : !type.check;
  if (isNeverChecked) {
    const message = `${attribute} has no effect: the type ${type.name} has no check`;
    report(diagnose('schedule-without-check', interval.range, message));
  }
  return answer.schedule;
}

function readTimeZone(block: ReadBlock, report: Report): { name: string; range: Range } | undefined {
  const timeZone = stringAt(block, 'time_zone');
  if (timeZone === undefined) return undefined;
  const name = canonicalTimeZone(timeZone.text);
  if (name !== undefined) return { name, range: timeZone.range };
  const message = `time_zone ${JSON.stringify(timeZone.text)} is not in the IANA database`;
  report(diagnose('invalid-time-zone', timeZone.range, message));
  return undefined;
}

const inTimeZone = (schedule: Schedule | undefined, timeZone: string | undefined): Schedule | undefined =>
  schedule?.kind === 'cron' ? { ...schedule, ...defined({ timeZone }) } : schedule;

/**
 * Whether the type is the built-in `trigger`, under any name. The versions of its resources come from puts of
 * the team's pipelines and from people.
 */
export function isTriggerStream(type: Pick<ResourceType, 'builtIn' | 'origin'>): boolean {
  return builtInSource(type) === 'svc://trigger';
}

/** Whether this is a built-in type without commands: cron or trigger. A get of it runs nothing. */
export function isBuiltInWithoutCommands(type: ResourceType): boolean {
  return type.builtIn && !type.check && !type.pull && !type.push;
}
