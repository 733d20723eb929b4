import type { FaultKind } from './fault-kind.ts';
import { FAULTS_OF_BUILDS } from './faults-of-builds.ts';
import { FAULTS_OF_CLUSTER } from './faults-of-cluster.ts';
import { FAULTS_OF_MILLRACE } from './faults-of-millrace.ts';
import { FAULTS_OF_TENANT } from './faults-of-tenant.ts';

/**
 * No outage lasts longer than ten seconds, except that of a leader that must outlive its lease (at most 15
 * s).
 */
export const FAULTS: readonly FaultKind[] = [
  ...FAULTS_OF_MILLRACE,
  ...FAULTS_OF_CLUSTER,
  ...FAULTS_OF_BUILDS,
  ...FAULTS_OF_TENANT,
];
