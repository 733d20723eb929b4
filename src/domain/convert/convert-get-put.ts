import type { Conversion } from './conversion.ts';
import { writeParams } from './convert-resources.ts';
import type { ConvertedResource } from './converted-resource.ts';
import { convertName } from './names.ts';
import type { JobScope } from './step-scope.ts';
import { hclAttribute, hclBlock, quoteText, writeList, type HclBlock, type HclNode } from './write-hcl.ts';
import type { ValuePlace } from './write-value.ts';
import type { YamlFields } from './yaml-fields.ts';

export function convertGet(fields: YamlFields, scope: JobScope): HclBlock {
  const { conversion } = scope;
  const { labels, body, resource, concourseName } = readTarget(fields, 'get', conversion);
  const trigger = fields.flag('trigger');
  if (trigger === true) body.push(hclAttribute('trigger', 'true'));
  const passed = readPassed(fields, concourseName, scope);
  if (passed.length > 0) body.push(hclAttribute('passed', writeList(passed.map((job) => quoteText([job])))));
  const takesEveryByDefault = trigger === true && passed.length === 0;
  // For such a get, Millrace takes every version by default, but Concourse only the newest.
  const version = readVersion(fields, body, conversion) ?? (takesEveryByDefault ? 'latest' : undefined);
  if (version !== undefined) body.push(hclAttribute('version', quoteText([version])));
  body.push(...paramsOfStep(fields, { resource, place: 'secret' }, conversion));
  fields.leaveOut(body, { skip_download: 'a get always downloads' });
  return hclBlock('get', labels, body);
}

export function convertPut(fields: YamlFields, { conversion }: JobScope): HclBlock {
  const { labels, body, resource } = readTarget(fields, 'put', conversion);
  body.push(...paramsOfStep(fields, { resource, place: 'running' }, conversion));
  const inputs = fields.tree('inputs');
  if (inputs?.kind === 'list')
    conversion.leaveOut(
      body,
      inputs.span,
      'inputs has no counterpart: a put sees the whole working directory',
    );
  else fields.text('inputs');
  // Millrace never runs a get after a put, so `no_get` changes nothing.
  fields.flag('no_get');
  fields.leaveOut(body, { get_params: 'there is no get after a put: get the version in the next job' });
  return hclBlock('put', labels, body);
}

/**
 * The block `params` of a step. Steps with a resource of the built-in git type need none, because the
 * resource has all parameters.
 */
function paramsOfStep(
  fields: YamlFields,
  { resource, place }: { resource: ConvertedResource | undefined; place: ValuePlace },
  conversion: Conversion,
): HclNode[] {
  const params = fields.map('params');
  if (params === undefined || params.entries.length === 0 || resource?.isBuiltInGit === true) return [];
  return [hclBlock('params', [], writeParams(params, place, conversion))];
}

/** How a step names its resource. `body`: attributes of the step. `resource` undefined: it does not exist. */
interface Target {
  labels: string[];
  body: HclNode[];
  resource: ConvertedResource | undefined;
  concourseName: string;
}

/**
 * Finds the resource of a step, and the labels and attributes by which the step names it. The two labels of
 * the step are the type and name of the resource. If the step has another name, that name is its only label,
 * and the attribute `resource` names the resource.
 */
function readTarget(fields: YamlFields, kind: 'get' | 'put', conversion: Conversion): Target {
  const step = fields.needed(kind) ?? 'unnamed';
  const concourseName = fields.text('resource') ?? step;
  const resource = conversion.resources.get(concourseName);
  if (resource === undefined) {
    conversion.error(
      fields.tree(fields.text('resource') === undefined ? kind : 'resource')?.span ?? fields.span,
      `there is no resource "${concourseName}"`,
      'Correct the name, or declare the resource.',
    );
    return { labels: ['unknown', 'unknown'], body: [], resource, concourseName };
  }
  const { type, name } = resource;
  if (step === concourseName) return { labels: [type, name], body: [], resource, concourseName };
  const label = convertName(step, { taken: new Set(), span: fields.span, allowed: 'name' }, conversion);
  return {
    labels: [label],
    body: [hclAttribute('resource', quoteText([`${type}.${name}`]))],
    resource,
    concourseName,
  };
}

/** The names in Millrace of the jobs in `passed`. `resource`: name of the resource in Concourse. */
function readPassed(fields: YamlFields, resource: string, { conversion, resourcesOf }: JobScope): string[] {
  return fields.texts('passed').flatMap(({ text, span }) => {
    const job = conversion.jobs.get(text);
    if (job === undefined) {
      conversion.error(span, `there is no job "${text}"`, 'Correct the name in passed.');
      return [];
    }
    if (resourcesOf.get(text)?.has(resource) !== true)
      conversion.error(span, `the job "${text}" neither gets nor puts ${resource}`, 'Remove it from passed.');
    return [job];
  });
}

/**
 * Reads `every` or `latest`. Undefined: there is none, or a fixed version, which is reported. Millrace has no
 * fixed versions in a get; people pin the resource instead.
 */
function readVersion(fields: YamlFields, body: HclNode[], conversion: Conversion): string | undefined {
  const version = fields.tree('version');
  if (version === undefined) return undefined;
  if (version.kind === 'scalar' && (version.value === 'every' || version.value === 'latest'))
    return version.value;
  if (version.kind !== 'map') {
    conversion.error(version.span, 'version of a get must be every, latest or a version', 'Correct it.');
    return undefined;
  }
  const words = version.entries.map(
    ({ key, value }) => `${key} ${value.kind === 'scalar' ? String(value.value) : '…'}`,
  );
  conversion.leaveOut(
    body,
    version.span,
    `version has no counterpart: pin the resource to ${words.join(', ')} with spec.pins of the manifest, or with the API`,
  );
  return undefined;
}
