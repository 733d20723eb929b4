import type { Metadata } from '#domain/build/parse-protocol-output.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';

/* Which builds made or took which versions, for the pages of resources and jobs. */

export interface UsingBuild {
  job: string;
  number: string;
  status: BuildStatus;
}

export interface VersionUse {
  version: number;
  /** The build whose put made the version. */
  madeBy?: UsingBuild;
  /** The newest build of each job that took the version, in the order of the file. */
  builds: UsingBuild[];
  /** What the resource's type reported about the version in the newest build that has a report. */
  metadata: Metadata[];
}

export interface BuildOrigin {
  build: number;
  /** Absent: the cause is not recorded, as for builds that an older release created. */
  cause?: ShownCause;
  inputs: { name: string; resource: string; version: number; fields: Record<string, string> }[];
}

export type ShownCause =
  | { kind: 'manual'; by: string }
  | { kind: 'retry'; by: string; of: string }
  /** New versions, among them this one. */
  | { kind: 'version'; resource: string; version: number };
