import type { Conversion } from './conversion.ts';
import type { HclNode } from './write-hcl.ts';
import type { YamlSpan, YamlTree } from './yaml-tree.ts';

/** What the steps of a job need in common. */
export interface JobScope {
  conversion: Conversion;
  /** Caches that the next step at the top of the job needs. Undefined in hooks of the job. */
  caches: HclNode[] | undefined;
  cacheNames: Set<string>;
  tags: { text: string; span: YamlSpan }[];
  /** The resources that each job gets or puts, by the name of the job in Concourse. */
  resourcesOf: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Where a step is. A hook has only tasks and puts, and a group of parallel steps no other group. A sequence
 * is a group that runs one step at a time.
 */
export type ConvertedPlace = 'job' | 'parallel' | 'sequence' | 'hook';

/** Converts a step to blocks and comments. A parameter of `writeHooks`, because hooks contain steps. */
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
