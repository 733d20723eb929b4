import { describe, expect, test } from '@jest/globals';
import { buildKey } from '#e2e/soak/history.ts';
import { brokenInvariants, cleanRun, findBuild, START } from './clean-run.ts';
import type { Evidence } from './evidence.ts';

type Plant = (evidence: Evidence) => void;

const CUT = '\n[The agent ended before it could send the rest of this log.]\n';

/** Replaces the last line of a succeeded build's log. */
const cutLog = (evidence: Evidence, replacement: string): void => {
  const { id } = findBuild(evidence, 'manual/work #1');
  const last = evidence.database.logs.findLast((row) => row.build === id);
  const shownBuild = evidence.shown.find((candidate) => candidate.job === 'work' && candidate.number === '1');
  if (last === undefined || shownBuild === undefined) throw new Error('The run has no such log.');
  shownBuild.log = shownBuild.log.replace(last.text, replacement);
  last.text = replacement;
};

const recordKill = ({ history }: Evidence, pod: string): void => {
  history.faults.push({ name: 'kill an agent', target: pod, pod, from: START });
};

describe('the checker allows', () => {
  const ALLOWED: Record<string, Plant> = {
    'a failed build whose Pod was lost after a put had begun': (evidence) => {
      const lost = findBuild(evidence, 'chain/third #1');
      Object.assign(lost, { status: 'failed', reason: 'PodLost' });
      for (const seen of [...evidence.history.sightings, ...evidence.shown])
        if (buildKey(seen) === buildKey(lost) && seen.status === 'succeeded') seen.status = 'failed';
      evidence.history.faults.push({
        name: 'delete a build’s Pod',
        target: '',
        from: lost.createdAt + 20_000,
        pod: 'chain-third-1-1-0a1b2',
      });
    },
    'a log that ends with its agent and says that it is cut': (evidence) => {
      cutLog(evidence, CUT);
      recordKill(evidence, 'manual-work-1-1-0a1b2');
    },
    'a trigger whose answer was lost': ({ history }) => {
      history.triggers.push({ pipeline: 'manual', job: 'work', sentAt: START, answer: 'unknown' });
    },
    'a version that was found while a pause was being requested': (evidence) => {
      const [pause] = evidence.history.pauses;
      for (const version of evidence.database.versions)
        if (version.resource === 'counter.held' && version.n === '1')
          version.foundAt = (pause?.sent ?? 0) + 1;
    },
  };

  test.each(Object.entries(ALLOWED))('%s', (_, plant) => {
    const evidence = cleanRun();
    plant(evidence);
    expect(brokenInvariants(evidence)).toEqual([]);
  });
});
