import { listed, REASONS, type Reason, type ReasonCode } from './reasons.ts';
import { whyWaitsForApproval, type GatedBuild } from './vote.ts';

export interface WaitingBuild extends GatedBuild {
  /** While it has not had its turn: what `startQueued` said. */
  held: readonly Reason[];
  /** Tags of the job. */
  tags: readonly string[];
  /** Since it has had its turn: what is known of its Pod, `QuotaExceeded: …` and the like. */
  pod?: string;
}

/** Every reason why a build has not started; none: it has. */
export function whyBuildWaits(build: WaitingBuild): Reason[] {
  if (build.status === 'waiting') return [whyWaitsForApproval(build)];
  if (build.status !== 'pending') return [];
  if (build.held.length > 0) return [...build.held];
  return [whyPodPends(build)];
}

function whyPodPends({ pod, tags }: WaitingBuild): Reason {
  const [word = '', ...rest] = (pod ?? '').split(': ');
  const message = rest.join(': ');
  if (!isCode(word)) return { code: 'PodPending', message: pod ?? 'Its Pod is not running yet.' };
  if (word !== 'Unschedulable' || tags.length === 0) return { code: word, message };
  const wanted = `No node that offers the ${tags.length === 1 ? 'tag' : 'tags'} ${listed(tags)} can take the Pod: ${message}`;
  return { code: 'NoNodeForTags', message: wanted };
}

function isCode(word: string): word is ReasonCode {
  return Object.hasOwn(REASONS, word);
}
