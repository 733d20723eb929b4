import { Type } from 'typebox';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import type { VersionTriggered } from '#flows/builds/action-ports.ts';
import { triggerVersion } from '#flows/builds/trigger-version.ts';
import { disableVersion, enableVersion } from '#flows/pipelines/disable-version.ts';
import { pinResource, unpinResource } from '#flows/pipelines/pin-resource.ts';
import { userNameOf } from './caller.ts';
import { buildUrl } from './jobs.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { ReasonShown, requireDone } from './refusal.ts';
import { body } from './request-bodies.ts';
import { answer, ResourceParams, VersionParams } from './schemas.ts';

const VersionId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const MAX_COMMENT_CHARACTERS = 500;

/** Pins, disabled versions, and builds with one version. */
export function pinRoutes(ports: PipelinePorts): Route[] {
  return [
    route({
      method: 'POST',
      url: '/teams/:team/pipelines/:pipeline/resources/:resource/pin',
      needs: 'write',
      audit: 'resource.pinned',
      about:
        'Pins the resource to the version `version_id`, with an optional `comment`. From then on, gets ' +
        'take that version, except in retries and in builds that someone starts with one version; builds ' +
        'with another version that have not started are cancelled. 409 if the manifest pins it.',
      bodyLimit: 4096,
      schema: {
        params: ResourceParams,
        body: body({
          version_id: VersionId,
          comment: Type.Optional(Type.String({ maxLength: MAX_COMMENT_CHARACTERS })),
        }),
        response: answer({ resource: Type.String(), pinned_version_id: VersionId }),
      },
      handler: async ({ params, body: { version_id: version, comment }, identity }) => {
        const by = userNameOf(identity);
        const pin = { version, by, ...defined({ comment }) };
        requireDone(await pinResource(params, pin, ports), versionName({ ...params, version }));
        return { data: { resource: params.resource, pinned_version_id: version } };
      },
    }),
    route({
      method: 'POST',
      url: '/teams/:team/pipelines/:pipeline/resources/:resource/unpin',
      needs: 'write',
      audit: 'resource.unpinned',
      about:
        'Unpins the resource. Only the newest version found in the meantime can trigger a build. 409 if ' +
        'the manifest pins it.',
      schema: { params: ResourceParams, response: answer({ resource: Type.String() }) },
      handler: async ({ params }) => {
        const { team, pipeline, resource } = params;
        requireDone(
          await unpinResource(params, ports),
          `Resource ${resource} of pipeline ${pipeline} in team ${team}`,
        );
        return { data: { resource } };
      },
    }),
    disableRoute(ports),
    enableRoute(ports),
    triggerRoute(ports),
  ];
}

const DisabledResponse = answer({ version_id: VersionId, disabled: Type.Boolean() });

function disableRoute(ports: PipelinePorts): Route {
  return route({
    method: 'POST',
    url: '/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/disable',
    needs: 'write',
    audit: 'version.disabled',
    about:
      'Disables the version: from now on, no build takes it, except a retry of a build that had it. ' +
      'Automatic builds that took it and have not started are cancelled.',
    schema: { params: VersionParams, response: DisabledResponse },
    handler: async ({ params, identity }) => {
      const { version } = params;
      const by = userNameOf(identity);
      requireDone(await disableVersion(params, { version, by }, ports), versionName(params));
      return { data: { version_id: version, disabled: true } };
    },
  });
}

function enableRoute(ports: PipelinePorts): Route {
  return route({
    method: 'POST',
    url: '/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/enable',
    needs: 'write',
    audit: 'version.enabled',
    about: 'Enables the version. It can trigger builds if no build has used it.',
    schema: { params: VersionParams, response: DisabledResponse },
    handler: async ({ params }) => {
      requireDone(await enableVersion(params, params.version, ports), versionName(params));
      return { data: { version_id: params.version, disabled: false } };
    },
  });
}

/** A 201 also lists the jobs that cannot run now. If no job can run, the response is a problem. */
function triggerRoute(ports: PipelinePorts): Route {
  return route({
    method: 'POST',
    url: '/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/trigger',
    needs: 'write',
    audit: 'version.triggered',
    about:
      'Starts a build with this version for each job that gets the resource without `passed`, whatever is ' +
      'pinned: 201 with the builds and the jobs that were `refused`, or 409 if all were. Jobs downstream ' +
      'whose get has `trigger` build this version once.',
    schema: {
      params: VersionParams,
      response: {
        201: Type.Object({
          data: Type.Object({
            builds: Type.Array(
              Type.Object({ job: Type.String(), number: Type.String(), url: Type.String() }),
            ),
            refused: Type.Array(Type.Object({ job: Type.String(), reasons: Type.Array(ReasonShown) })),
          }),
        }),
      },
    },
    handler: async ({ params, identity }, reply) => {
      const trigger = { version: params.version, by: userNameOf(identity) };
      const { builds, refused } = requireDone(
        await triggerVersion(params, trigger, ports),
        versionName(params),
      );
      if (builds.length === 0) throw noBuildProblem(params.resource, refused);
      const data = {
        builds: builds.map((build) => ({
          job: build.job,
          number: build.number,
          url: buildUrl(build, build.number),
        })),
        refused: refused.map(({ job, reasons }) => ({
          job,
          reasons: reasons.map(({ code, message }) => ({ code, message })),
        })),
      };
      return reply.code(201).send({ data });
    },
  });
}

/** Says why no job can start a build: the reasons of each job, or that no job gets the resource directly. */
function noBuildProblem(resource: string, refused: VersionTriggered['refused']): Problem {
  const reasons = refused.flatMap(({ job, reasons: jobReasons }) =>
    jobReasons.map(({ code, message }) => ({ code, message: `Job ${job}: ${message}` })),
  );
  const detail =
    reasons.length === 0
      ? `No job gets ${resource} without passed.`
      : reasons.map(({ message }) => message).join(' ');
  return new Problem('job-cannot-run', detail, { reasons });
}

function versionName(params: { team: string; pipeline: string; resource: string; version: number }): string {
  const { team, pipeline, resource, version } = params;
  return `Version ${version} of resource ${resource} of pipeline ${pipeline} in team ${team}`;
}
