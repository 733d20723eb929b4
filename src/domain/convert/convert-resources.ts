import { secondsOf } from '#domain/language/duration.ts';
import type { Conversion } from './conversion.ts';
import { findUses, isLikeBuiltInGit, writeGitParams, type ResourceUse } from './convert-git.ts';
import type { ResourceTypes } from './convert-types.ts';
import { convertName, isTag, writeOldName } from './names.ts';
import { hclAttribute, hclBlock, isIdentifier, quoteText, writeList, type HclNode } from './write-hcl.ts';
import { writeValue, type ValuePlace } from './write-value.ts';
import type { YamlFields } from './yaml-fields.ts';
import type { YamlMap, YamlSpan, YamlTree } from './yaml-tree.ts';

interface ResourceInput {
  types: ResourceTypes;
  uses: ReadonlyMap<string, ResourceUse[]>;
}

export function convertResources(
  top: YamlFields,
  { types, jobs }: { types: ResourceTypes; jobs: YamlTree | undefined },
  conversion: Conversion,
): HclNode[] {
  const uses = findUses(jobs);
  return top
    .maps('resources', 'a resource')
    .flatMap((fields) => convertResource(fields, { types, uses }, conversion));
}

function convertResource(
  fields: YamlFields,
  { types, uses }: ResourceInput,
  conversion: Conversion,
): HclNode[] {
  const name = fields.needed('name');
  const type = fields.needed('type');
  const body: HclNode[] = [];
  const source = withDefaults(fields.map('source'), types.defaultsOf(type ?? ''));
  const usesOfResource = uses.get(name ?? '') ?? [];
  writeSettings(
    fields,
    { body, isOnlyPut: usesOfResource.length > 0 && usesOfResource.every(({ kind }) => kind === 'put') },
    conversion,
  );
  fields.entry('old_name');
  fields.end(body);
  if (name === undefined || type === undefined) return [];
  if (conversion.resources.has(name)) {
    conversion.error(fields.span, `there are two resources "${name}"`, 'Rename one of them.');
    return [];
  }
  const isBuiltInGit =
    type === 'git' && !types.isDeclared('git') && isLikeBuiltInGit(name, source, usesOfResource);
  const label = types.labelOf(type, isBuiltInGit, fields.span);
  const taken = namesOf(conversion);
  const converted = convertName(name, { taken, span: fields.span, allowed: 'name' }, conversion);
  conversion.resources.set(name, { type: label, name: converted, isBuiltInGit });
  const oldName: HclNode[] = [];
  writeOldName(fields, { body: oldName, taken: namesOf(conversion) }, conversion);
  body.unshift(...oldName);
  body.push(...paramsBlock(name, { source, uses: usesOfResource, isBuiltInGit }, conversion));
  return [hclBlock('resource', [label, converted], body)];
}

/** The names in Millrace of the resources that are converted so far. */
const namesOf = (conversion: Conversion): Set<string> =>
  new Set(Array.from(conversion.resources.values(), ({ name }) => name));

/** The fields of a source take precedence over the defaults of its type. */
function withDefaults(source: YamlMap | undefined, defaults: YamlMap | undefined): YamlMap | undefined {
  if (source === undefined || defaults === undefined) return source ?? defaults;
  const keysOfSource = new Set(source.entries.map(({ key }) => key));
  return {
    ...source,
    entries: [...defaults.entries.filter(({ key }) => !keysOfSource.has(key)), ...source.entries],
  };
}

function paramsBlock(
  name: string,
  { source, uses, isBuiltInGit }: { source: YamlMap | undefined; uses: ResourceUse[]; isBuiltInGit: boolean },
  conversion: Conversion,
): HclNode[] {
  if (source === undefined || source.entries.length === 0) return [];
  const params = isBuiltInGit
    ? writeGitParams(name, { source, uses }, conversion)
    : writeParams(source, 'secret', conversion);
  return [hclBlock('params', [], params)];
}

/** Writes each entry of the map as an attribute. */
export function writeParams(map: YamlMap, place: ValuePlace, conversion: Conversion): HclNode[] {
  const nodes: HclNode[] = [];
  for (const { key, keySpan, value } of map.entries) {
    if (isIdentifier(key)) nodes.push(hclAttribute(key, writeValue(value, place, conversion)));
    else
      conversion.leaveOut(nodes, keySpan, `${key} has no counterpart: it cannot be the name of a parameter`);
  }
  return nodes;
}

function writeSettings(
  fields: YamlFields,
  { body, isOnlyPut }: { body: HclNode[]; isOnlyPut: boolean },
  conversion: Conversion,
): void {
  const webhook = fields.entry('webhook_token');
  // Concourse does not check a resource that no job gets.
  if (isOnlyPut) fields.text('check_every');
  else writeInterval(fields, body, conversion);
  if (webhook)
    conversion.leaveOut(
      body,
      webhook.keySpan,
      'webhook_token has no counterpart: Millrace creates the token itself',
    );
  writeTags(fields.texts('tags'), body, conversion);
  fields.leaveOut(body, {
    icon: 'pictures show the type',
    public: 'the page of a resource shows its versions only',
    expose_build_created_by: 'no variable has the name of a person',
    check_timeout: 'a check may take 5 minutes',
    version: 'pin the resource with spec.pins of the manifest, or with the API',
  });
}

/** How often Concourse checks a resource that has no check_every. */
const DEFAULT_CHECK_SECONDS = 60;
const MIN_CHECK_SECONDS = 10;

function writeInterval(fields: YamlFields, body: HclNode[], conversion: Conversion): void {
  const entry = fields.entry('check_every');
  const text = fields.text('check_every') ?? `${DEFAULT_CHECK_SECONDS}s`;
  const span = entry?.value.span ?? fields.span;
  if (text === 'never') return;
  if (text.includes('((')) {
    conversion.leaveOut(body, span, 'check_every is a variable, and must be a fixed value here');
    return;
  }
  const seconds = secondsOf(text) ?? -1;
  if (!Number.isFinite(seconds) || seconds < 0) {
    conversion.error(span, `check_every: "${text}" is not a duration`, 'Write 30s, 5m or never.');
    return;
  }
  if (seconds < MIN_CHECK_SECONDS)
    conversion.leaveOut(body, span, `check_every: ${text} is shorter than the minimum of 10s`);
  const every = durationText(Math.max(seconds, MIN_CHECK_SECONDS));
  body.push(hclAttribute('check_interval', quoteText([`@every ${every}`])));
}

/** The duration as a text such as `1h30m`, rounded to whole seconds. At least one second. */
export function durationText(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  const [hours, minutes, remainder] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  return `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${minutes}m` : ''}${remainder > 0 ? `${remainder}s` : ''}`;
}

const MAX_TAGS = 10;

export interface TagText {
  text: string;
  span: YamlSpan;
}

/** Writes worker tags. Tags that Millrace does not accept are left out and reported. */
export function writeTags(tags: readonly TagText[], body: HclNode[], conversion: Conversion): void {
  for (const { text, span } of tags)
    if (!isTag(text))
      conversion.leaveOut(
        body,
        span,
        `"${text}" is not allowed in tags: use lower-case letters, digits and hyphens`,
      );
  const valid = tags.filter(({ text }) => isTag(text));
  writeWords('tags', valid, body, conversion);
}

/**
 * Writes an attribute with a list of words. Each word is written once, and words beyond `MAX_TAGS` are left
 * out and reported.
 */
export function writeWords(
  name: string,
  words: readonly TagText[],
  body: HclNode[],
  conversion: Conversion,
): void {
  const unique = words.filter(({ text }, at) => words.findIndex((word) => word.text === text) === at);
  const extra = unique[MAX_TAGS];
  if (extra) conversion.leaveOut(body, extra.span, `more than ${MAX_TAGS} ${name} have no counterpart`);
  if (unique.length === 0) return;
  const written = unique.slice(0, MAX_TAGS).map(({ text }) => quoteText([text]));
  body.push(hclAttribute(name, writeList(written)));
}
