import { isActive, type BuildStatus } from './build-changes.ts';
import type { Reason } from './reasons.ts';

export interface Gate {
  /** Distinct people who must approve. */
  approvals: number;
  timeoutSeconds?: number;
  notByTrigger?: boolean;
}

export interface GatedBuild {
  status: BuildStatus;
  gate: Gate;
  /** Who triggered the build. Absent: it is an automatic one. */
  triggeredBy?: string;
  votes: readonly { by: string; approve: boolean }[];
}

export interface Vote {
  by: string;
  approve: boolean;
  /** A rejection needs one. */
  message?: string;
}

export type VoteAnswer =
  | { answer: 'waiting' | 'approved' | 'rejected'; message: string }
  | { answer: 'refused'; reason: Reason };

/** Each person has one vote on a build. One rejection fails the build, whatever the other votes. */
export function decideVote(build: GatedBuild, given: Vote): VoteAnswer {
  const reason = whyNot(build, given);
  if (reason !== undefined) return { answer: 'refused', reason };
  if (!given.approve)
    return { answer: 'rejected', message: `Rejected by ${given.by}: ${given.message?.trim() ?? ''}` };
  const { have, want } = counted({ ...build, votes: [...build.votes, given] });
  const message = `Approved by ${have} of ${want}.`;
  return { answer: have < want ? 'waiting' : 'approved', message };
}

function whyNot({ status, gate, triggeredBy, votes }: GatedBuild, given: Vote): Reason | undefined {
  if (!isActive(status)) return { code: 'AlreadyEnded', message: `The build has ended: ${status}.` };
  if (status !== 'waiting') return { code: 'NotWaiting', message: 'The build does not wait for approval.' };
  if (votes.some(({ by }) => by === given.by))
    return { code: 'VotedAlready', message: `${given.by} has already voted on this build.` };
  if (given.approve && gate.notByTrigger && triggeredBy === given.by)
    return {
      code: 'OwnBuild',
      message: `${given.by} triggered this build, so somebody else must approve it.`,
    };
  if (!given.approve && !given.message?.trim())
    return { code: 'ReasonMissing', message: 'A rejection needs a reason.' };
  return undefined;
}

function counted({ gate, votes }: GatedBuild): { have: number; want: number } {
  const people = new Set(votes.filter(({ approve }) => approve).map(({ by }) => by));
  return { have: people.size, want: gate.approvals };
}

/** When the gate times out and rejects, in milliseconds. Undefined: never. */
export function approvalExpiresAt({ timeoutSeconds }: Gate, createdAt: number): number | undefined {
  return timeoutSeconds === undefined ? undefined : createdAt + timeoutSeconds * 1000;
}

export function whyWaitsForApproval(build: GatedBuild): Reason {
  const { have, want } = counted(build);
  const message = `Waiting for approval: ${have} of ${want}.`;
  return { code: 'WaitingForApproval', message, data: { have, want } };
}
