import type { FaultKind } from './fault-kind.ts';
import { FAULTS_OF_BUILDS } from './faults-of-builds.ts';
import { FAULTS_OF_CLUSTER } from './faults-of-cluster.ts';
import { FAULTS_OF_MILLRACE } from './faults-of-millrace.ts';
import { FAULTS_OF_TENANT } from './faults-of-tenant.ts';

/**
 * No outage is meant to last longer than ten seconds, but that of a leader who must outlive its lease (15 s
 * at most).
 */
export const FAULTS: readonly FaultKind[] = [
  ...FAULTS_OF_MILLRACE,
  ...FAULTS_OF_CLUSTER,
  ...FAULTS_OF_BUILDS,
  ...FAULTS_OF_TENANT,
];
