import { Conversion, type ConversionNote } from './conversion.ts';
import { fillGiven } from './convert-across.ts';
import { convertJobs } from './convert-jobs.ts';
import { convertResources } from './convert-resources.ts';
import { ResourceTypes } from './convert-types.ts';
import { convertVarSources } from './convert-var-sources.ts';
import { parseReference, REFERENCE } from './variable-table.ts';
import { writeHcl, type HclNode } from './write-hcl.ts';
import { YamlFields } from './yaml-fields.ts';
import { walkYaml, type YamlMap, type YamlTree } from './yaml-tree.ts';

export interface ConvertedPipeline {
  /** The pipeline in HCL, before the formatter has aligned it. */
  hcl: string;
  /** In the order of the input. */
  notes: ConversionNote[];
}

/** The variable values that the user gave, by name. */
export interface GivenValues {
  /** All values, as `JSON.parse` would return them. */
  plain: ReadonlyMap<string, unknown>;
  /** Only the values that are not strings, as YAML trees. */
  trees: ReadonlyMap<string, YamlTree>;
}

/** Converts a pipeline of Concourse. If one of the notes is an error, `hcl` is incomplete. */
export function convertConcourse(tree: YamlTree, given: GivenValues): ConvertedPipeline {
  const conversion = new Conversion(given.plain);
  const filled = fillGiven(tree, given.trees);
  if (filled.kind !== 'map') {
    conversion.error(tree.span, 'the pipeline is not a map', 'Write jobs and resources.');
    return { hcl: '', notes: conversion.notes };
  }
  recordLocalFields(filled, conversion);
  const head: HclNode[] = [];
  const top = new YamlFields(withoutUnknown(filled, conversion), 'the pipeline', conversion);
  top.leaveOut(head, {
    groups: 'the page of the pipeline shows all jobs',
    display: 'pages have no background',
    prototypes: 'there are no prototypes',
  });
  const sources = convertVarSources(top, conversion);
  const types = new ResourceTypes(top, conversion);
  const resources = convertResources(top, { types, jobs: top.tree('jobs') }, conversion);
  const jobList = top.list('jobs');
  if (jobList.length === 0) conversion.error(filled.span, 'the pipeline has no jobs', 'Add jobs.');
  for (const { kind, span } of jobList)
    if (kind !== 'map') conversion.error(span, 'a job must be a map', 'Write a map.');
  const jobs = convertJobs(jobList, conversion);
  top.end(head);
  const variables = conversion.variables.write({
    needsValue: ({ name, span }) =>
      conversion.warn(
        span,
        `the variable ${name} has the value change-me`,
        'Give its value with --var, or in the manifest.',
      ),
    renamed: ({ path, span }, secret) =>
      conversion.warn(
        span,
        `the Secret for ((${path})) is renamed to ${secret}`,
        'Create the Secret with this name. Secret names allow only lower-case letters, digits, "-" and ".".',
      ),
    otherKey: ({ path, fields, span }, key) =>
      conversion.warn(
        span,
        `the key for ${fields.join('.')} in the Secret of ((${path})) is renamed to ${key}`,
        'Create the Secret with this key. Secret keys allow only letters, digits, "-", "_" and ".".',
      ),
  });
  const hcl = writeHcl([...head, ...variables, ...sources, ...types.nodes, ...resources, ...jobs]);
  return { hcl, notes: conversion.notes.toSorted((a, b) => a.span.start - b.span.start) };
}

/** The fields that a Concourse pipeline can have at its top level. */
const TOP_FIELDS = new Set([
  'jobs',
  'resources',
  'resource_types',
  'groups',
  'display',
  'var_sources',
  'prototypes',
]);

/**
 * Removes fields that Concourse ignores, and warns about them. There is no warning about names that begin
 * with `x-`, `_` or `.`, because people use these for fields that are meant to be ignored.
 */
function withoutUnknown(map: YamlMap, conversion: Conversion): YamlMap {
  for (const { key, keySpan } of map.entries.filter((entry) => !TOP_FIELDS.has(entry.key)))
    if (!/^(?:x-|_|\.)/.test(key))
      conversion.warn(
        keySpan,
        `Concourse ignores the field "${key}" at the top level, so it is left out`,
        'Correct the name if it is a mistake.',
      );
  return { ...map, entries: map.entries.filter(({ key }) => TOP_FIELDS.has(key)) };
}

/** Records the fields that references such as `((.:name.field))` read. */
function recordLocalFields(tree: YamlTree, { localFields }: Conversion): void {
  walkYaml(tree, (part) => {
    if (part.kind !== 'scalar' || typeof part.value !== 'string') return;
    for (const [, inner = ''] of part.value.matchAll(REFERENCE)) {
      const { source, path, fields } = parseReference(inner);
      if (source === '.')
        localFields.set(path, new Set([...(localFields.get(path) ?? []), fields.join('.')]));
    }
  });
}
