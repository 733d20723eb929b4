import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Lease } from '@kubernetes/client-node';
import type { ApiAnswer } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import { defined } from '#defined';
import type { ElectorClock, LeaseAccess, LeaseRecord, VersionedRecord } from './elector.ts';

/** Access to one Lease object for the elector. */
export function leaseAccess(client: ApiClient, ref: { namespace: string; name: string }): LeaseAccess {
  return {
    read: async () => {
      const answer = await client.get(KINDS.leases, ref);
      if (!answer.ok) return answer.status === 404 ? { ok: true, value: undefined } : answer;
      return { ok: true, value: recordOf(answer.value) };
    },
    create: async (record) => toVersionedRecord(await client.create(KINDS.leases, leaseOf(ref, record))),
    update: async (record, version) =>
      toVersionedRecord(await client.replace(KINDS.leases, leaseOf(ref, record, version))),
  };
}

export const electorClock: ElectorClock = {
  now: () => performance.now(),
  wallTime: () => new Date(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  },
};

function toVersionedRecord(answer: ApiAnswer<Wire<V1Lease>>): ApiAnswer<VersionedRecord> {
  return answer.ok ? { ok: true, value: recordOf(answer.value) } : answer;
}

function recordOf(lease: Wire<V1Lease>): VersionedRecord {
  const { spec = {}, metadata = {} } = lease;
  return {
    version: metadata.resourceVersion ?? '',
    record: {
      holder: spec.holderIdentity ?? '',
      leaseSeconds: spec.leaseDurationSeconds ?? 0,
      acquireTime: spec.acquireTime ?? '',
      renewTime: spec.renewTime ?? '',
      transitions: spec.leaseTransitions ?? 0,
    },
  };
}

function leaseOf(
  ref: { namespace: string; name: string },
  record: LeaseRecord,
  version?: string,
): Wire<V1Lease> {
  return {
    apiVersion: KINDS.leases.apiVersion,
    kind: KINDS.leases.kind,
    metadata: { ...ref, ...defined({ resourceVersion: version }) },
    spec: {
      holderIdentity: record.holder,
      leaseDurationSeconds: record.leaseSeconds,
      acquireTime: record.acquireTime,
      renewTime: record.renewTime,
      leaseTransitions: record.transitions,
    },
  };
}
