import { formatList, REASONS, type Reason, type ReasonCode } from './reasons.ts';
import { whyWaitsForApproval, type GatedBuild } from './vote.ts';

export interface WaitingBuild extends GatedBuild {
  /** Before its turn: the reasons of `startQueued`. */
  held: readonly Reason[];
  /** Tags of the job. */
  tags: readonly string[];
  /**
   * Why the build is pending, as `QuotaExceeded: …`. After its turn, this is why its Pod does not run.
   * Absent: no reason is known.
   */
  pendingReason?: string;
}

/** Every reason why a build has not started. Empty: the build has started or ended. */
export function whyBuildWaits(build: WaitingBuild): Reason[] {
  if (build.status === 'waiting' && build.gate) return [whyWaitsForApproval(build.gate, build.votes)];
  if (build.status !== 'pending') return [];
  if (build.held.length > 0) return [...build.held];
  return [whyPodPends(build)];
}

function whyPodPends({ pendingReason, tags }: WaitingBuild): Reason {
  const [code = '', ...messageParts] = (pendingReason ?? '').split(': ');
  const message = messageParts.join(': ');
  if (!isCode(code)) return { code: 'PodPending', message: pendingReason ?? 'Its Pod is not running yet.' };
  if (code !== 'Unschedulable' || tags.length === 0) return { code, message };
  const tagList = `${tags.length === 1 ? 'tag' : 'tags'} ${formatList(tags)}`;
  return {
    code: 'NoNodeForTags',
    message: `No node that offers the ${tagList} can take the Pod: ${message}`,
  };
}

function isCode(word: string): word is ReasonCode {
  return Object.hasOwn(REASONS, word);
}
