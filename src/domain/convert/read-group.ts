import type { JobScope } from './step-scope.ts';
import { hclAttribute, type HclNode } from './write-hcl.ts';
import type { YamlFields } from './yaml-fields.ts';
import type { YamlTree } from './yaml-tree.ts';

/**
 * Reads an `in_parallel` that has the fields `steps`, `limit` and `fail_fast`. Returns the steps, and adds
 * the other fields to `settings`.
 */
export function readGroup(fields: YamlFields, settings: HclNode[], { conversion }: JobScope): YamlTree[] {
  const group = fields.fieldsOf('in_parallel', 'in_parallel');
  if (group === undefined) return [];
  const limit = group.number('limit');
  if (limit !== undefined && limit > 0) settings.push(limitAttribute(limit));
  if (group.flag('fail_fast') === true) settings.push(hclAttribute('fail_fast', 'true'));
  const steps = group.list('steps');
  group.end(settings);
  if (steps.length === 0) conversion.error(group.span, 'in_parallel has no steps', 'Add steps.');
  return steps;
}

const MAX_LIMIT = 1000;

export const limitAttribute = (limit: number): HclNode =>
  hclAttribute('limit', String(Math.min(limit, MAX_LIMIT)));
