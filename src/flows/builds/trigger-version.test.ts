import { expect, test } from '@jest/globals';
import { RecordedNotifications } from '#testing/flows/recorded-notifications.ts';
import { inMemoryTriggers } from '#testing/http/in-memory-triggers.ts';
import type { TriggerStore } from './trigger-ports.ts';
import { triggerVersion } from './trigger-version.ts';

const GIT = { team: 'main', pipeline: 'app', resource: 'git.app' };
const store = inMemoryTriggers([]);

/** A store whose decisions read none of the requests. */
const unread: Pick<TriggerStore, 'withVersionRequests'> = {
  withVersionRequests: async (name, request, work) =>
    await store.withVersionRequests(name, request, async (tx) => {
      const facts: typeof tx.facts = async (pageRows) => {
        const gathered = await tx.facts(pageRows);
        return { ...gathered, jobs: gathered.jobs.map((job) => ({ ...job, requests: [] })) };
      };
      return await work({ ...tx, facts });
    }),
};

test('a job whose request is not decided is refused with a reason', async () => {
  const ports = { builds: unread, notifications: new RecordedNotifications(), now: () => new Date() };
  expect(await triggerVersion(GIT, { version: 11, by: 'ann' }, ports)).toMatchObject({
    builds: [],
    refused: [
      { job: 'unit', reasons: [{ code: 'NotDecided' }] },
      { job: 'publish', reasons: [{ code: 'NotDecided' }] },
    ],
  });
});
