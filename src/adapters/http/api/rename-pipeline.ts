import { route, type Route } from '#adapters/http/server/route.ts';
import { renamePipeline } from '#flows/pipelines/rename-pipeline.ts';
import type { AccessPorts } from './account-ports.ts';
import { actOf } from './caller.ts';
import { encode, MadeAnswer, partsOf, PATIENCE_MS } from './pipeline-results.ts';
import { body, ObjectName } from './request-bodies.ts';
import { PipelineParams } from './schemas.ts';

export function renameRoutes(ports: AccessPorts): Route[] {
  return [
    route({
      method: 'POST',
      url: '/teams/:team/pipelines/:pipeline/rename',
      needs: 'maintain',
      about:
        'Gives a pipeline that the API made the name `name`: its history, versions, pins, pauses ' +
        'and webhook tokens go with it, the old name is free and answers 404. 200 once it runs ' +
        'under the new name, 202 while that takes, with `reason` and `message`; 409 while builds ' +
        'run, when the name is taken, and when a manifest made the pipeline. The audit log has it ' +
        'as `pipeline.updated` with `renamed_from`.',
      timeLimit: PATIENCE_MS,
      schema: {
        params: PipelineParams,
        body: body({ name: ObjectName }),
        response: { 200: MadeAnswer, 202: MadeAnswer },
      },
      handler: async ({ params, body: { name }, identity }, reply) => {
        const act = actOf(identity, ports.now());
        const renamed = await renamePipeline(params, name, act, {
          ...partsOf(ports),
          renames: ports.renames,
        });
        const ofNew = renamed.answer === 'done' || renamed.answer === 'exists';
        const told = encode({ team: params.team, pipeline: ofNew ? name : params.pipeline }, renamed);
        return reply.code(told.ready ? 200 : 202).send({ data: told });
      },
    }),
  ];
}
