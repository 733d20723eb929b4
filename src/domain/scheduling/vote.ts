import { isActive, type BuildStatus } from './build-changes.ts';
import type { Reason } from './reasons.ts';

export interface Gate {
  /** Distinct people who must approve. */
  approvals: number;
  timeoutSeconds?: number;
  /** The person who triggered the build may not approve it. */
  notByTrigger?: boolean;
}

export interface GatedBuild {
  status: BuildStatus;
  /** Every build that waits for approval has one. */
  gate?: Gate;
  /** Who triggered the build. Absent: the build is automatic. */
  triggeredBy?: string;
  votes: readonly { by: string; approve: boolean }[];
}

export interface Vote {
  by: string;
  approve: boolean;
  /** A rejection needs a message. */
  message?: string;
}

export type VoteAnswer =
  | { answer: 'waiting' | 'approved' | 'rejected'; message: string }
  | { answer: 'refused'; reason: Reason };

/** Each person has one vote on a build. One rejection fails the build, whatever the other votes. */
export function decideVote({ status, gate, triggeredBy, votes }: GatedBuild, vote: Vote): VoteAnswer {
  if (status !== 'waiting' || gate === undefined) return { answer: 'refused', reason: whyNotWaiting(status) };
  const reason = whyVoteRefused({ gate, triggeredBy, votes }, vote);
  if (reason !== undefined) return { answer: 'refused', reason };
  if (!vote.approve)
    return { answer: 'rejected', message: `Rejected by ${vote.by}: ${vote.message?.trim() ?? ''}` };
  const { have, want } = countApprovals(gate, [...votes, vote]);
  const message = `Approved by ${have} of ${want}.`;
  return { answer: have < want ? 'waiting' : 'approved', message };
}

function whyNotWaiting(status: BuildStatus): Reason {
  return isActive(status)
    ? { code: 'NotWaiting', message: 'The build does not wait for approval.' }
    : { code: 'AlreadyEnded', message: `The build has ended: ${status}.` };
}

function whyVoteRefused(
  { gate, triggeredBy, votes }: { gate: Gate; triggeredBy: string | undefined; votes: Votes },
  vote: Vote,
): Reason | undefined {
  if (votes.some(({ by }) => by === vote.by))
    return { code: 'VotedAlready', message: `${vote.by} has already voted on this build.` };
  if (vote.approve && gate.notByTrigger && triggeredBy === vote.by)
    return {
      code: 'OwnBuild',
      message: `${vote.by} triggered this build, so somebody else must approve it.`,
    };
  if (!vote.approve && !vote.message?.trim())
    return { code: 'ReasonMissing', message: 'A rejection needs a reason. Say in the message why.' };
  return undefined;
}

type Votes = GatedBuild['votes'];

function countApprovals({ approvals }: Gate, votes: Votes): { have: number; want: number } {
  const people = new Set(votes.filter(({ approve }) => approve).map(({ by }) => by));
  return { have: people.size, want: approvals };
}

/** When the gate times out and rejects. Times are milliseconds since 1970. Undefined: never. */
export function approvalExpiresAt({ timeoutSeconds }: Gate, createdAt: number): number | undefined {
  return timeoutSeconds === undefined ? undefined : createdAt + timeoutSeconds * 1000;
}

export function whyWaitsForApproval(gate: Gate, votes: Votes): Reason {
  const { have, want } = countApprovals(gate, votes);
  const message = `Waiting for approval: ${have} of ${want}.`;
  return { code: 'WaitingForApproval', message, data: { have, want } };
}
