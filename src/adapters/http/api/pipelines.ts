import { Type, type Static } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import {
  createPipeline,
  deletePipeline,
  updatePipeline,
  type ChangePipelinePorts,
} from '#flows/pipelines/change-pipeline.ts';
import type { PipelineSpec } from '#flows/pipelines/object-ports.ts';
import type { PipelineView } from '#flows/views/ports.ts';
import type { AccessPorts } from './access-ports.ts';
import { actOf } from './caller.ts';
import { objectProblem } from './cluster-objects.ts';
import { limitCompiles } from './compile-limits.ts';
import { requireExists, requireFound } from './found.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { changePorts, encodeResult, PipelineResultBody, RESPONSE_TIME_LIMIT_MS } from './pipeline-results.ts';
import { Config, MAX_BODY_BYTES, pipelineTextRoutes, Vars, type TextPorts } from './pipeline-texts.ts';
import { limitPreviews } from './preview-limits.ts';
import { encodePublicPipeline, PUBLIC_SCHEMAS, publicData } from './public-schemas.ts';
import { body, ObjectName } from './request-bodies.ts';
import { answer, answerList, PipelineParams, TeamParams } from './schemas.ts';

const Settings = {
  vars: Vars,
  /** An empty text removes the display name. */
  display_name: Type.Optional(Type.String({ maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })),
  public: Type.Optional(Type.Boolean()),
};
export const Changes = body({
  ...Settings,
  config: Type.Optional(Config),
  /**
   * The generation of the definition that the caller read before changing it. If another change came first,
   * the request is refused.
   */
  generation: Type.Optional(Type.Integer({ minimum: 0 })),
});

export const PipelineSchema = {
  id: Type.Integer(),
  team: Type.String(),
  name: Type.String(),
  display_name: Type.Optional(Type.String()),
  public: Type.Boolean(),
  paused: Type.Boolean(),
  revision: Type.Integer(),
  jobs: Type.Integer(),
  resources: Type.Integer(),
};

export function pipelineRoutes({ views, publicViews }: PipelinePorts): Route[] {
  return [
    route({
      method: 'GET',
      url: '/teams/:team/pipelines',
      needs: 'read',
      about: 'The pipelines of a team.',
      schema: { params: TeamParams, response: answerList(Type.Object(PipelineSchema)) },
      handler: async ({ params }) => ({ data: (await views.pipelines(params.team)).map(encodePipeline) }),
    }),
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline',
      needs: 'public',
      about:
        'One pipeline. The public gets its id, team and name, whether it is paused, and how many jobs and ' +
        'resources it has.',
      schema: { params: PipelineParams, response: answer(PipelineSchema) },
      forPublic: {
        response: PUBLIC_SCHEMAS.pipeline,
        read: async ({ params }) => publicData(await publicViews.pipeline(params), encodePublicPipeline),
      },
      handler: async ({ params }) => ({
        data: encodePipeline(
          requireFound(await views.pipeline(params), `Pipeline ${params.pipeline} in team ${params.team}`),
        ),
      }),
    }),
  ];
}

export function encodePipeline({ displayName, ...fields }: PipelineView) {
  return { ...fields, ...defined({ display_name: displayName }) };
}

export function pipelineChangeRoutes(accessPorts: AccessPorts): Route[] {
  const ports = {
    ...accessPorts,
    ...limitCompiles(accessPorts.compiler),
    previewsOf: limitPreviews(accessPorts.previews),
  };
  return [createRoute(ports), ...pipelineTextRoutes(ports), changeRoute(ports), deleteRoute(ports)];
}

function createRoute(ports: TextPorts): Route {
  return route({
    method: 'POST',
    url: '/teams/:team/pipelines',
    needs: 'maintain',
    audit: 'pipeline.created',
    about:
      'Creates a pipeline from the HCL text `config`, with `vars`, `display_name` and `public`, as a ' +
      'Pipeline object. 201 once the pipeline runs this text; 202 with `reason` and `message` if the ' +
      'object exists but the pipeline does not run the text, and with `pending` if the operator has not ' +
      'decided yet; 400 with all `findings` if the text has errors.',
    bodyLimit: MAX_BODY_BYTES,
    timeLimit: RESPONSE_TIME_LIMIT_MS,
    schema: {
      params: TeamParams,
      body: body({ ...Settings, name: ObjectName, config: Config }),
      response: { 201: PipelineResultBody, 202: PipelineResultBody },
    },
    handler: async ({ params: { team }, body: { name, config, ...settings }, identity }, reply) => {
      const pipelineName = { team, pipeline: name };
      const spec = applyFields({ config }, settings);
      const act = actOf(identity, ports.now());
      const created = await createPipeline(pipelineName, spec, act, changePortsFor(team, ports));
      requireExists(created.answer !== 'unknown', `Team ${team}`);
      const result = encodeResult(pipelineName, created);
      return reply.code(result.ready ? 201 : 202).send({ data: result });
    },
  });
}

function changeRoute(ports: TextPorts): Route {
  return route({
    method: 'PUT',
    url: '/teams/:team/pipelines/:pipeline',
    needs: 'maintain',
    audit: 'pipeline.updated',
    about:
      'Changes a pipeline that was created over the API. Fields that the body leaves out keep their ' +
      'values; sources are always fetched again. 200 once it runs the changed text; otherwise 202 or 400 ' +
      'as for a new pipeline. 409 if a manifest manages it, or if `generation` is given and someone has ' +
      'changed the pipeline since.',
    bodyLimit: MAX_BODY_BYTES,
    timeLimit: RESPONSE_TIME_LIMIT_MS,
    schema: {
      params: PipelineParams,
      body: Changes,
      response: { 200: PipelineResultBody, 202: PipelineResultBody },
    },
    handler: async ({ params, body: { generation, ...fields }, identity }, reply) => {
      const act = actOf(identity, ports.now());
      const updated = await updatePipeline(
        { ...params, ...defined({ generation }) },
        (spec) => applyFields(spec, fields),
        act,
        changePortsFor(params.team, ports),
      );
      const result = encodeResult(params, updated);
      return reply.code(result.ready ? 200 : 202).send({ data: result });
    },
  });
}

const DeletedResponse = Type.Object({ data: Type.Object({ name: Type.String() }) });

function deleteRoute(ports: AccessPorts): Route {
  return route({
    method: 'DELETE',
    url: '/teams/:team/pipelines/:pipeline',
    needs: 'maintain',
    audit: 'pipeline.deleted',
    about:
      'Deletes a pipeline that was created over the API: its builds are stopped, its history stays. 200 ' +
      'once it is deleted, 202 if that takes longer.',
    timeLimit: RESPONSE_TIME_LIMIT_MS,
    schema: {
      params: PipelineParams,
      response: { 200: DeletedResponse, 202: DeletedResponse },
    },
    handler: async ({ params }, reply) => {
      const removed = await deletePipeline(params, changePorts(ports));
      if (removed.answer !== 'gone' && removed.answer !== 'waiting')
        throw objectProblem(removed, `Pipeline ${params.pipeline}`);
      return reply.code(removed.answer === 'gone' ? 200 : 202).send({ data: { name: params.pipeline } });
    },
  });
}

function changePortsFor(team: string, ports: TextPorts): ChangePipelinePorts {
  return { ...changePorts(ports), compiler: ports.compilerOf(team) };
}

/** Merges the fields into the spec. An empty display name removes it. */
function applyFields(spec: PipelineSpec, fields: Omit<Static<typeof Changes>, 'generation'>): PipelineSpec {
  const { config = spec.config, vars = spec.vars, public: isPublic = spec.public } = fields;
  const { display_name: displayName = spec.displayName } = fields;
  return {
    config,
    ...defined({ vars, public: isPublic }),
    ...(displayName !== undefined && displayName !== '' && { displayName }),
  };
}
