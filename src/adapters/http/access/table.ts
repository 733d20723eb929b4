import type { Need } from '#domain/access/decide-access.ts';
import { BROWSER_ROWS } from './browser-rows.ts';
import { PUBLIC_ROWS } from './public-rows.ts';
import { SHARED_ROWS } from './shared-rows.ts';
import { PEOPLE } from './table-of-people.ts';
import { PIPELINES } from './table-of-pipelines.ts';
import { WEBHOOK_ROWS } from './webhook-rows.ts';

export interface Row {
  needs: Need;
  /** What the route does, in a sentence: for the reference and for OpenAPI. */
  about: string;
  /** Under which word what it does is written down; other routes that change something see to that themselves. */
  audit?: string;
  /** Open to whoever must change their password first. */
  beforePasswordChange?: boolean;
}

/** Every public route and the role it needs. A route that is not here cannot be made, and one that is here must exist: tests say so. */
const ROUTES = {
  ...WEBHOOK_ROWS,
  ...BROWSER_ROWS,
  ...PUBLIC_ROWS,
  ...SHARED_ROWS,
  'GET /health': {
    needs: 'nothing',
    about: 'Whether this replica can answer: 200, or 503 when it cannot reach the database.',
  },
  'GET /openapi.json': { needs: 'nothing', about: 'This API, described in OpenAPI 3.1.' },
  ...PEOPLE,
  ...PIPELINES,
  'GET /teams/:team/pipelines': { needs: 'read', about: 'The pipelines of a team.' },
  'POST /teams/:team/pipelines/:pipeline/jobs/:job/trigger': {
    needs: 'write',
    audit: 'job.triggered',
    about:
      'Starts a build with the newest versions that fit: 201 and its number, or 409 with the reason for each input that lacks one. `check=true` checks the resources that the job gets without `passed` first, and waits at most 25 seconds; `checks` says of each whether it was `checked`, `failed` or `late`. The body is ignored.',
  },
  'GET /teams/:team/pipelines/:pipeline/jobs/:job/builds/:build/logs': {
    needs: 'read',
    about:
      'The log as plain text, or with `Accept: application/json` numbered chunks; `after` goes on behind a chunk.',
  },
  'GET /teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/path': {
    needs: 'read',
    about:
      'Where a version went: the jobs that take it, those behind them and those that take what they put, nearest first, each with its newest build and the retries of that.',
  },
  'GET /teams/:team/pipelines/:pipeline/resources/:resource/check': {
    needs: 'read',
    about:
      'Its last check: when, how it failed, how often in a row, and what it said (the last 64 KiB, secrets masked).',
  },
  'GET /teams/:team/pipelines/:pipeline/waiting': {
    needs: 'read',
    about:
      'Why each job gets no build and each pending build does not start: [codes](waiting.md) and sentences. A job that is about to be built has no reason.',
  },
  'GET /teams/:team/pipelines/:pipeline/jobs/:job/waiting': {
    needs: 'read',
    about: 'Why one job gets no build, and its pending builds do not start.',
  },
  'POST /teams/:team/pipelines/:pipeline/resources/:resource/check': {
    needs: 'write',
    audit: 'resource.check_triggered',
    about: 'Asks for a check now: 202. Requests that arrive while one runs become one more check.',
  },
  'POST /teams/:team/pipelines/:pipeline/pause': {
    needs: 'write',
    audit: 'pipeline.paused',
    about:
      'Pauses the pipeline and each of its jobs: resources are checked, nothing is built, running builds end. What is found meanwhile triggers nothing later. 409 when the manifest says `paused` itself.',
  },
  'POST /teams/:team/pipelines/:pipeline/unpause': {
    needs: 'write',
    audit: 'pipeline.unpaused',
    about: 'Unpauses the pipeline and each of its jobs. 409 when the manifest says `paused` itself.',
  },
  'POST /teams/:team/pipelines/:pipeline/jobs/:job/pause': {
    needs: 'write',
    audit: 'job.paused',
    about: 'Pauses one job.',
  },
  'POST /teams/:team/pipelines/:pipeline/jobs/:job/unpause': {
    needs: 'write',
    audit: 'job.unpaused',
    about: 'Unpauses one job, also while its pipeline is paused.',
  },
  'POST /teams/:team/pipelines/:pipeline/resources/:resource/pin': {
    needs: 'write',
    audit: 'resource.pinned',
    about:
      'Pins the resource to the version `version_id` of the body; `comment` is kept with it. Every get takes that version, and builds that have not started with another one are cancelled. 409 when the manifest pins it.',
  },
  'POST /teams/:team/pipelines/:pipeline/resources/:resource/unpin': {
    needs: 'write',
    audit: 'resource.unpinned',
    about:
      'Takes the pin away: of the versions that came meanwhile the latest may trigger. 409 when the manifest pins it.',
  },
  'POST /teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/disable': {
    needs: 'write',
    audit: 'version.disabled',
    about:
      'No build takes this version from now on. Automatic builds that took it and have not started are cancelled.',
  },
  'POST /teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/enable': {
    needs: 'write',
    audit: 'version.enabled',
    about: 'The version may be taken again, and triggers if no build used it.',
  },
  'POST /teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/trigger': {
    needs: 'write',
    audit: 'version.triggered',
    about:
      'Starts a build with this version of each job that gets the resource without `passed`, whatever is pinned: 201 with the builds and the jobs that were `refused`, 409 when all were. Each job that follows through `passed` builds this version once.',
  },
  'POST /teams/:team/pipelines/:pipeline/jobs/:job/builds/:build/cancel': {
    needs: 'write',
    audit: 'job.cancelled',
    about:
      'Cancels a build: 202. A build that has not started ends at once; a running one once its current step has been stopped. 409 when it has ended.',
  },
  'POST /teams/:team/pipelines/:pipeline/jobs/:job/builds/:build/retry': {
    needs: 'write',
    audit: 'job.retried',
    about:
      'Runs the build again with the same versions and the same definition, as `N.k`: 201 and its number. 409 with the reasons when it has not ended, its job is paused or has `disable_retry`.',
  },
  'POST /teams/:team/pipelines/:pipeline/jobs/:job/builds/:build/approve': {
    needs: 'maintain',
    audit: 'build.approved',
    about:
      'Approves a build that waits for it; the body may have a `message`. 409 when it does not wait, or this person has voted or may not.',
  },
  'POST /teams/:team/pipelines/:pipeline/jobs/:job/builds/:build/reject': {
    needs: 'maintain',
    audit: 'build.rejected',
    about: 'Rejects a build that waits for approval, which fails it; the body has the reason as `message`.',
  },
  'PUT /teams/:team/pipelines/:pipeline/jobs/:job/builds/:build/warning': {
    needs: 'maintain',
    audit: 'build.marked_warning',
    about: 'Marks a failed build as a warning: it counts as good for `passed` from then on.',
  },
} as const satisfies Record<string, Row>;

export const TABLE: ReadonlyMap<string, Row> = new Map(Object.entries(ROUTES));

export function rowOf(method: string, url: string): Row {
  const row = TABLE.get(`${method} ${url}`);
  if (row === undefined) throw new Error(`route ${method} ${url} is not in the table of routes`);
  return row;
}
