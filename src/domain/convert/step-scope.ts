import type { Conversion } from './conversion.ts';
import type { HclNode } from './write-hcl.ts';
import type { YamlSpan, YamlTree } from './yaml-tree.ts';

/** What the conversion of all steps of a job shares. */
export interface JobScope {
  conversion: Conversion;
  /**
   * Blocks of the caches that the next step at the top level of the job needs. Undefined in the hooks of the
   * job, which cannot have caches.
   */
  caches: HclNode[] | undefined;
  /** Labels of all caches of the job so far. */
  cacheNames: Set<string>;
  /** Worker tags of all steps so far. In Millrace, they become tags of the job. */
  tags: { text: string; span: YamlSpan }[];
  /** The resources that each job gets or puts, by the name of the job in Concourse. */
  resourcesOf: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Where a step is. `job`: at the top level of the plan. `parallel`: in a group of parallel steps, which
 * cannot contain another group. `sequence`: in a group that runs one step at a time. `hook`: in a hook, which
 * can contain tasks and puts, but no gets and groups.
 */
export type ConvertedPlace = 'job' | 'parallel' | 'sequence' | 'hook';

/**
 * Converts a step to blocks and comments. `writeHooks` gets this function as a parameter, because hooks
 * contain steps and the two modules would otherwise import each other.
 */
export type ConvertStep = (tree: YamlTree, place: ConvertedPlace, scope: JobScope) => HclNode[];

export const STEP_KINDS = [
  'get',
  'put',
  'task',
  'in_parallel',
  'do',
  'try',
  'load_var',
  'set_pipeline',
  'run',
] as const;
export type StepKind = (typeof STEP_KINDS)[number];
