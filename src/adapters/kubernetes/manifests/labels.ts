import { shortHash } from '#domain/scheduling/check-groups.ts';

export const MANAGED_BY = 'app.kubernetes.io/managed-by';

/** Labels of everything that Millrace makes; ids and names by which it is found again. */
export const LABEL = {
  kind: 'millrace.dev/kind',
  team: 'millrace.dev/team',
  pipeline: 'millrace.dev/pipeline',
  pipelineId: 'millrace.dev/pipeline-id',
  job: 'millrace.dev/job',
  build: 'millrace.dev/build',
  buildId: 'millrace.dev/build-id',
  attempt: 'millrace.dev/attempt',
  run: 'millrace.dev/run',
  checkGroup: 'millrace.dev/check-group',
  usable: 'millrace.dev/usable',
  /** Of Pipelines, Teams and OAuthProviders: who made them, and may change them. */
  madeBy: 'millrace.dev/managed-by',
} as const;

/** Of nodes that offer a tag; its value is `true`. */
export const nodeLabel = (tag: string): string => `millrace.dev/${labelValue(`tag-${tag}`)}`;

/** Annotations, for what is too long or too free for a label. */
export const ANNOTATION = {
  job: 'millrace.dev/job',
  resources: 'millrace.dev/resources',
  applied: 'millrace.dev/applied',
  /** Of a Pod: proves that Millrace asked for a Pod of this namespace, name and work. */
  seal: 'millrace.dev/seal',
  /** Of a Pipeline: whatever changes it asks for sources to be fetched anew. */
  requestedAt: 'millrace.dev/requested-at',
  /** Of what the API made: who changed it last. */
  changedBy: 'millrace.dev/changed-by',
  /**
   * Of a Pipeline of the API: name and uid of the object whose pipeline it goes on with, and the key that was
   * given for that.
   */
  renamedFrom: 'millrace.dev/renamed-from',
} as const;

/** Value of the label `madeBy` of what the API makes. */
export const BY_API = 'api';

/** Holds back the deletion of a Team that has pipelines. */
export const TEAM_FINALIZER = 'millrace.dev/team';

/** Holds back the deletion of a Pipeline until its builds have ended. */
export const PIPELINE_FINALIZER = 'millrace.dev/pipeline';

/** Selects every object of one installation's making. */
export const OURS = `${MANAGED_BY}=millrace`;

const LONGEST_LABEL = 63;

/** The text itself where it may be a label's value, else its readable part and a hash of the whole. */
export function labelValue(text: string): string {
  if (text.length <= LONGEST_LABEL && /^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/.test(text)) return text;
  const readable = text
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, LONGEST_LABEL - 9)
    .replace(/(?<![^A-Za-z0-9])[^A-Za-z0-9]+$/, '');
  return readable === '' ? shortHash(text) : `${readable}-${shortHash(text)}`;
}
