import type { DatabasePool } from 'slonik';
import { cronNext } from '#adapters/database/checks/cron-next.ts';
import type { Definitions } from '#adapters/database/revisions/definitions.ts';
import type { ViewStore } from '#flows/views/complete-views.ts';
import { viewBuild, viewBuildIds, viewBuilds } from './view-builds.ts';
import { viewChanges } from './view-changes.ts';
import { storedCheck } from './view-check.ts';
import { viewJobDefinition } from './view-job-definition.ts';
import { viewLogs } from './view-logs.ts';
import { viewJobs, viewPipelines } from './view-pipelines.ts';
import { viewResources, viewVersions } from './view-resources.ts';
import { viewBuildOrigins, viewVersionUses } from './view-uses.ts';
import { buildsThatTook, versionToFollow } from './view-version-path.ts';
import { waitingStore } from './view-waiting.ts';

/** Reads what people see, with a few queries for each view. */
export function viewStore(database: { pool: DatabasePool; definitions: Definitions }): ViewStore {
  const { pool } = database;
  return {
    pipelines: async (team) => await viewPipelines(pool, { team }),
    pipeline: async (name) => (await viewPipelines(pool, name))[0],
    jobs: async (name) => await viewJobs(pool, name),
    job: async ({ job, ...name }) => (await viewJobs(pool, { ...name, job }))?.[0],
    builds: async (name, page) => await viewBuilds(pool, name, page),
    build: async (ref) => await viewBuild(database, ref),
    changes: async (ref, max) => await viewChanges(pool, ref, max),
    buildOrigins: async (builds) => await viewBuildOrigins(pool, builds),
    jobDefinition: async (name) => await viewJobDefinition(database, name),
    buildIds: async (ref) => await viewBuildIds(pool, ref),
    logs: async (ref, after, maxCharacters) => await viewLogs(pool, ref, after, maxCharacters),
    resources: async (name) => await viewResources(pool, name),
    resource: async (name) => (await viewResources(pool, name))?.[0],
    versions: async (name, page) => await viewVersions(pool, name, page),
    versionUses: async (name, versions) => await viewVersionUses(pool, name, versions),
    versionToFollow: async (name, version) => await versionToFollow(pool, name, version),
    buildsThatTook: async (pipeline, versions) => await buildsThatTook(pool, pipeline, versions),
    storedCheck: async (name) => await storedCheck(pool, name),
    cronNext,
    ...waitingStore(database),
  };
}
