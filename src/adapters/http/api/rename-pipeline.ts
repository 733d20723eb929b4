import { route, type Route } from '#adapters/http/server/route.ts';
import { renamePipeline } from '#flows/pipelines/rename-pipeline.ts';
import type { AccessPorts } from './access-ports.ts';
import { actOf } from './caller.ts';
import { changePorts, encodeResult, PipelineResultBody, RESPONSE_TIME_LIMIT_MS } from './pipeline-results.ts';
import { body, ObjectName } from './request-bodies.ts';
import { PipelineParams } from './schemas.ts';

export function renameRoutes(ports: AccessPorts): Route[] {
  return [
    route({
      method: 'POST',
      url: '/teams/:team/pipelines/:pipeline/rename',
      needs: 'maintain',
      about:
        'Renames a pipeline that was created over the API to `name`. Its history, versions, pins, pauses ' +
        'and webhook tokens stay with it; the old name becomes free and answers 404. 200 once it runs ' +
        'under the new name, 202 with `reason` and `message` if that takes longer. 409 if builds are running, ' +
        'the name is taken, or a manifest manages the pipeline. The audit log records it as ' +
        '`pipeline.updated` with `renamed_from`.',
      timeLimit: RESPONSE_TIME_LIMIT_MS,
      schema: {
        params: PipelineParams,
        body: body({ name: ObjectName }),
        response: { 200: PipelineResultBody, 202: PipelineResultBody },
      },
      handler: async ({ params, body: { name }, identity }, reply) => {
        const act = actOf(identity, ports.now());
        const renamed = await renamePipeline(params, name, act, {
          ...changePorts(ports),
          renames: ports.renames,
        });
        const concernsNewName = renamed.answer === 'done' || renamed.answer === 'exists';
        const result = encodeResult(
          { team: params.team, pipeline: concernsNewName ? name : params.pipeline },
          renamed,
        );
        return reply.code(result.ready ? 200 : 202).send({ data: result });
      },
    }),
  ];
}
