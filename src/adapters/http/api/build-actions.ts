import { Type } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { cancelBuild } from '#flows/builds/cancel-build.ts';
import { markWarning } from '#flows/builds/mark-warning.ts';
import { retryBuild } from '#flows/builds/retry-build.ts';
import { voteOnBuild } from '#flows/builds/vote-on-build.ts';
import { nameBuild, refOf } from './builds.ts';
import { userNameOf } from './caller.ts';
import { buildUrl } from './jobs.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { requireDone } from './refusal.ts';
import { body } from './request-bodies.ts';
import { answer, BUILD_PATH, BuildParams } from './schemas.ts';

const BuildNameFields = { job: Type.String(), number: Type.String() };
const VoteResponse = answer({
  ...BuildNameFields,
  state: Type.Enum(['waiting', 'approved', 'rejected']),
  message: Type.String(),
});
const MAX_MESSAGE_CHARACTERS = 1000;

/** Actions of people on one build. */
export function buildActionRoutes(ports: PipelinePorts): Route[] {
  return [
    route({
      method: 'POST',
      url: `${BUILD_PATH}/cancel`,
      needs: 'write',
      audit: 'job.cancelled',
      about:
        'Cancels a build: 202. A build that has not started ends at once, a running one after its current ' +
        'step has stopped and its hooks have run. 409 if it has ended.',
      schema: { params: BuildParams, response: { 202: Type.Object({ data: Type.Object(BuildNameFields) }) } },
      handler: async ({ params, identity }, reply) => {
        const ref = refOf(params);
        requireDone(await cancelBuild(ref, userNameOf(identity), ports), nameBuild(ref));
        return reply.code(202).send({ data: { job: ref.job, number: ref.number } });
      },
    }),
    retryRoute(ports),
    ...voteRoutes(ports),
    route({
      method: 'PUT',
      url: `${BUILD_PATH}/warning`,
      needs: 'maintain',
      audit: 'build.marked_warning',
      about: 'Marks a failed build as a warning: from then on it counts as good for `passed`.',
      schema: { params: BuildParams, response: answer({ ...BuildNameFields, status: Type.String() }) },
      handler: async ({ params, identity }) => {
        const ref = refOf(params);
        requireDone(await markWarning(ref, userNameOf(identity), ports), nameBuild(ref));
        return { data: { job: ref.job, number: ref.number, status: 'warning' } };
      },
    }),
  ];
}

function voteRoutes(ports: PipelinePorts): Route[] {
  return [
    route({
      method: 'POST',
      url: `${BUILD_PATH}/approve`,
      needs: 'maintain',
      audit: 'build.approved',
      about:
        'Approves a build that waits for approval; the body may have a `message`. 409 if it does not wait, ' +
        'if you have voted, or if you triggered it and the job does not let you approve your own build.',
      bodyLimit: 8192,
      schema: {
        params: BuildParams,
        body: Type.Union([
          body({ message: Type.Optional(Type.String({ maxLength: MAX_MESSAGE_CHARACTERS })) }),
          Type.Null(),
        ]),
        response: VoteResponse,
      },
      handler: async ({ params, body: fields, identity }) => {
        const ref = refOf(params);
        const message = fields?.message;
        const by = userNameOf(identity);
        const vote = { by, approve: true, ...defined({ message }) };
        return encodeVote(ref, requireDone(await voteOnBuild(ref, vote, ports), nameBuild(ref)));
      },
    }),
    route({
      method: 'POST',
      url: `${BUILD_PATH}/reject`,
      needs: 'maintain',
      audit: 'build.rejected',
      about:
        'Rejects a build that waits for approval, so that it fails. The body has the reason as `message`. ' +
        '409 if it does not wait or if you have voted.',
      bodyLimit: 8192,
      schema: {
        params: BuildParams,
        body: body({ message: Type.String({ minLength: 1, maxLength: MAX_MESSAGE_CHARACTERS }) }),
        response: VoteResponse,
      },
      handler: async ({ params, body: { message }, identity }) => {
        const ref = refOf(params);
        const vote = { by: userNameOf(identity), approve: false, message };
        return encodeVote(ref, requireDone(await voteOnBuild(ref, vote, ports), nameBuild(ref)));
      },
    }),
  ];
}

function retryRoute(ports: PipelinePorts): Route {
  return route({
    method: 'POST',
    url: `${BUILD_PATH}/retry`,
    needs: 'write',
    audit: 'job.retried',
    about:
      'Runs the build again with the same versions and the same definition, as `N.k`: 201 with its number. ' +
      '409 with the reasons if it cannot run again, for example because it has not ended, or its job is ' +
      'paused or has `disable_retry`.',
    schema: {
      params: BuildParams,
      response: { 201: Type.Object({ data: Type.Object({ ...BuildNameFields, url: Type.String() }) }) },
    },
    handler: async ({ params, identity }, reply) => {
      const ref = refOf(params);
      const { build } = requireDone(await retryBuild(ref, userNameOf(identity), ports), nameBuild(ref));
      const url = buildUrl(build, build.number);
      void reply.header('location', url);
      return reply.code(201).send({ data: { job: build.job, number: build.number, url } });
    },
  });
}

function encodeVote(
  { job, number }: { job: string; number: string },
  { state, message }: { state: 'waiting' | 'approved' | 'rejected'; message: string },
) {
  return { data: { job, number, state, message } };
}
