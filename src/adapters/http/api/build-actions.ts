import { Type } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import { cancelBuild } from '#flows/builds/cancel-build.ts';
import { markWarning } from '#flows/builds/mark-warning.ts';
import { retryBuild } from '#flows/builds/retry-build.ts';
import { voteOnBuild } from '#flows/builds/vote-on-build.ts';
import { describeBuild, refOf } from './builds.ts';
import { buildUrl } from './jobs.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { doneOr } from './refusal.ts';
import { answer, BuildParams } from './schemas.ts';

const Named = { job: Type.String(), number: Type.String() };
const Voted = answer({
  ...Named,
  state: Type.Enum(['waiting', 'approved', 'rejected']),
  message: Type.String(),
});
const MAX_MESSAGE = 1000;

/** What people decide about one build. */
export function buildActionRoutes(ports: PipelinePorts): Route[] {
  return [
    route({
      method: 'POST',
      url: '/teams/:team/pipelines/:pipeline/jobs/:job/builds/:build/cancel',
      needs: 'write',
      audit: 'job.cancelled',
      about:
        'Cancels a build: 202. A build that has not started ends at once; a running one once its ' +
        'current step has been stopped. 409 when it has ended.',
      schema: { params: BuildParams, response: { 202: Type.Object({ data: Type.Object(Named) }) } },
      handler: async ({ params, identity }, reply) => {
        const ref = refOf(params);
        doneOr(await cancelBuild(ref, identity?.user ?? 'unknown', ports), describeBuild(ref));
        return reply.code(202).send({ data: { job: ref.job, number: ref.number } });
      },
    }),
    retryRoute(ports),
    ...voteRoutes(ports),
    route({
      method: 'PUT',
      url: '/teams/:team/pipelines/:pipeline/jobs/:job/builds/:build/warning',
      needs: 'maintain',
      audit: 'build.marked_warning',
      about: 'Marks a failed build as a warning: it counts as good for `passed` from then on.',
      schema: { params: BuildParams, response: answer({ ...Named, status: Type.String() }) },
      handler: async ({ params, identity }) => {
        const ref = refOf(params);
        doneOr(await markWarning(ref, identity?.user ?? 'unknown', ports), describeBuild(ref));
        return { data: { job: ref.job, number: ref.number, status: 'warning' } };
      },
    }),
  ];
}

function voteRoutes(ports: PipelinePorts): Route[] {
  return [
    route({
      method: 'POST',
      url: '/teams/:team/pipelines/:pipeline/jobs/:job/builds/:build/approve',
      needs: 'maintain',
      audit: 'build.approved',
      about:
        'Approves a build that waits for it; the body may have a `message`. 409 when it does not ' +
        'wait, or this person has voted or may not.',
      bodyLimit: 8192,
      schema: {
        params: BuildParams,
        body: Type.Union([
          Type.Object({ message: Type.Optional(Type.String({ maxLength: MAX_MESSAGE })) }),
          Type.Null(),
        ]),
        response: Voted,
      },
      handler: async ({ params, body, identity }) => {
        const ref = refOf(params);
        const message = body?.message;
        const by = identity?.user ?? 'unknown';
        const given = { by, approve: true, ...(message !== undefined && { message }) };
        return voted(ref, doneOr(await voteOnBuild(ref, given, ports), describeBuild(ref)));
      },
    }),
    route({
      method: 'POST',
      url: '/teams/:team/pipelines/:pipeline/jobs/:job/builds/:build/reject',
      needs: 'maintain',
      audit: 'build.rejected',
      about: 'Rejects a build that waits for approval, which fails it; the body has the reason as `message`.',
      bodyLimit: 8192,
      schema: {
        params: BuildParams,
        body: Type.Object({ message: Type.String({ minLength: 1, maxLength: MAX_MESSAGE }) }),
        response: Voted,
      },
      handler: async ({ params, body, identity }) => {
        const ref = refOf(params);
        const given = { by: identity?.user ?? 'unknown', approve: false, message: body.message };
        return voted(ref, doneOr(await voteOnBuild(ref, given, ports), describeBuild(ref)));
      },
    }),
  ];
}

function retryRoute(ports: PipelinePorts): Route {
  return route({
    method: 'POST',
    url: '/teams/:team/pipelines/:pipeline/jobs/:job/builds/:build/retry',
    needs: 'write',
    audit: 'job.retried',
    about:
      'Runs the build again with the same versions and the same definition, as `N.k`: 201 and its ' +
      'number. 409 with the reasons when it has not ended, its job is paused or has ' +
      '`disable_retry`.',
    schema: {
      params: BuildParams,
      response: { 201: Type.Object({ data: Type.Object({ ...Named, url: Type.String() }) }) },
    },
    handler: async ({ params, identity }, reply) => {
      const ref = refOf(params);
      const { build } = doneOr(await retryBuild(ref, identity?.user ?? 'unknown', ports), describeBuild(ref));
      const url = buildUrl(build, build.number);
      void reply.header('location', url);
      return reply.code(201).send({ data: { job: build.job, number: build.number, url } });
    },
  });
}

function voted(
  { job, number }: { job: string; number: string },
  { state, message }: { state: 'waiting' | 'approved' | 'rejected'; message: string },
) {
  return { data: { job, number, state, message } };
}
