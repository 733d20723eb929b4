import type { FaultKind } from './fault-kind.ts';
import { FAULTS_OF_BUILDS } from './faults-of-builds.ts';
import { FAULTS_OF_CLUSTER } from './faults-of-cluster.ts';
import { FAULTS_OF_MILLRACE } from './faults-of-millrace.ts';
import { FAULTS_OF_TENANT } from './faults-of-tenant.ts';

/**
 * All faults of the soak run. Most outages last at most ten seconds. A leader that is frozen past its lease
 * is away for up to 20 s, and a few parts are cut off for up to 55 s.
 */
export const FAULTS: readonly FaultKind[] = [
  ...FAULTS_OF_MILLRACE,
  ...FAULTS_OF_CLUSTER,
  ...FAULTS_OF_BUILDS,
  ...FAULTS_OF_TENANT,
];
