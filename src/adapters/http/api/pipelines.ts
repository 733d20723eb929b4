import { Type, type Static } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import {
  createPipeline,
  deletePipeline,
  readPipeline,
  updatePipeline,
  validatePipeline,
  type ChangePipelinePorts,
} from '#flows/pipelines/change-pipeline.ts';
import type { Compiler } from '#flows/pipelines/manifest-ports.ts';
import type { PipelineSpec } from '#flows/pipelines/object-ports.ts';
import type { PipelineView } from '#flows/views/ports.ts';
import type { AccessPorts } from './account-ports.ts';
import { actOf } from './caller.ts';
import { problemOf, written } from './cluster-objects.ts';
import { textTurns } from './compile-limits.ts';
import { found } from './found.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { encode, encodeFinding, Finding, MadeAnswer, partsOf, PATIENCE_MS } from './pipeline-results.ts';
import { encodeShownPipeline, SHOWN, shownOne } from './public-schemas.ts';
import { body, ObjectName } from './request-bodies.ts';
import { answer, answerList, PipelineParams, Strings, TeamParams } from './schemas.ts';

const LONGEST_TEXT = 262_144;
/** The text may be escaped, and its variables come with it. */
export const BODY_LIMIT = 1024 * 1024;

const Config = Type.String({ minLength: 1, maxLength: LONGEST_TEXT });
const Vars = Type.Optional(Type.Record(Type.String({ maxLength: 256 }), Type.String({ maxLength: 65_536 })));
const Settings = {
  vars: Vars,
  /** Empty: none. */
  display_name: Type.Optional(Type.String({ maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })),
  public: Type.Optional(Type.Boolean()),
};
export const Changes = body({ ...Settings, config: Type.Optional(Config) });

export const Pipeline = {
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
      schema: { params: TeamParams, response: answerList(Type.Object(Pipeline)) },
      handler: async ({ params }) => ({ data: (await views.pipelines(params.team)).map(encodePipeline) }),
    }),
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline',
      needs: 'public',
      about:
        'One pipeline. The public gets its names, whether it is paused, and how many jobs and ' +
        'resources it has.',
      schema: { params: PipelineParams, response: answer(Pipeline) },
      strangers: {
        answer: SHOWN.pipeline,
        read: async ({ params }) => shownOne(await publicViews.pipeline(params), encodeShownPipeline),
      },
      handler: async ({ params }) => ({
        data: encodePipeline(
          found(await views.pipeline(params), `Pipeline ${params.pipeline} in team ${params.team}`),
        ),
      }),
    }),
  ];
}

export function encodePipeline({ displayName, ...rest }: PipelineView) {
  return { ...rest, ...(displayName !== undefined && { display_name: displayName }) };
}

interface TextPorts extends AccessPorts {
  compilerOf: (team: string) => Compiler;
}

export function pipelineChangeRoutes(all: AccessPorts): Route[] {
  const ports = { ...all, compilerOf: textTurns(all.compiler) };
  return [
    createRoute(ports),
    validateRoute(ports),
    definitionRoute(ports),
    changeRoute(ports),
    deleteRoute(ports),
  ];
}

function createRoute(ports: TextPorts): Route {
  return route({
    method: 'POST',
    url: '/teams/:team/pipelines',
    needs: 'maintain',
    audit: 'pipeline.created',
    about:
      'Makes a pipeline of the HCL text `config`, with `vars`, `display_name` and `public`: a ' +
      'Pipeline object. 201 once it runs, 202 when it stands in the cluster and does not run yet, ' +
      'with `reason` and `message`; 400 with all `findings` when the text has errors.',
    bodyLimit: BODY_LIMIT,
    timeLimit: PATIENCE_MS,
    schema: {
      params: TeamParams,
      body: body({ ...Settings, name: ObjectName, config: Config }),
      response: { 201: MadeAnswer, 202: MadeAnswer },
    },
    handler: async ({ params: { team }, body: { name, config, ...settings }, identity }, reply) => {
      const wanted = { team, pipeline: name };
      const spec = changed({ config }, settings);
      const act = actOf(identity, ports.now());
      const made = await createPipeline(wanted, spec, act, partsFor(team, ports));
      const told = encode(wanted, made);
      return reply.code(told.ready ? 201 : 202).send({ data: told });
    },
  });
}

function validateRoute(ports: TextPorts): Route {
  return route({
    method: 'POST',
    url: '/teams/:team/pipelines/validate',
    needs: 'maintain',
    about: 'What is wrong with a text, by line and column, as `millrace validate` says it. Nothing is kept.',
    bodyLimit: BODY_LIMIT,
    timeLimit: PATIENCE_MS,
    schema: {
      params: TeamParams,
      body: body({ config: Config, vars: Vars }),
      response: answer({ valid: Type.Boolean(), findings: Type.Array(Finding) }),
    },
    handler: async ({ params: { team }, body: { config, vars } }) => {
      const findings = await validatePipeline({ config, ...(vars && { vars }) }, ports.compilerOf(team));
      return {
        data: {
          valid: findings.every(({ severity }) => severity !== 'error'),
          findings: findings.map(encodeFinding),
        },
      };
    },
  });
}

export const Definition = {
  name: Type.String(),
  config: Type.String(),
  vars: Strings,
  display_name: Type.Optional(Type.String()),
  public: Type.Optional(Type.Boolean()),
};

function definitionRoute(ports: AccessPorts): Route {
  return route({
    method: 'GET',
    url: '/teams/:team/pipelines/:pipeline/definition',
    needs: 'maintain',
    about: 'Text, variables and settings of a pipeline that the API made.',
    schema: { params: PipelineParams, response: answer(Definition) },
    handler: async ({ params }) => {
      const read = written(await readPipeline(params, partsOf(ports)), `Pipeline ${params.pipeline}`);
      const { config, vars = {}, displayName, public: open } = read.spec;
      return {
        data: {
          name: read.name,
          config,
          vars,
          ...(displayName !== undefined && { display_name: displayName }),
          ...(open !== undefined && { public: open }),
        },
      };
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
      'Changes a pipeline that the API made; what the body leaves out stays, and sources are ' +
      'fetched again in any case. Answers as creating one does. 409 when a manifest made it.',
    bodyLimit: BODY_LIMIT,
    timeLimit: PATIENCE_MS,
    schema: { params: PipelineParams, body: Changes, response: { 200: MadeAnswer, 202: MadeAnswer } },
    handler: async ({ params, body: fields, identity }, reply) => {
      const act = actOf(identity, ports.now());
      const made = await updatePipeline(
        params,
        (known) => changed(known, fields),
        act,
        partsFor(params.team, ports),
      );
      const told = encode(params, made);
      return reply.code(told.ready ? 200 : 202).send({ data: told });
    },
  });
}

const Gone = Type.Object({ data: Type.Object({ name: Type.String() }) });

function deleteRoute(ports: AccessPorts): Route {
  return route({
    method: 'DELETE',
    url: '/teams/:team/pipelines/:pipeline',
    needs: 'maintain',
    audit: 'pipeline.deleted',
    about:
      'Deletes a pipeline that the API made: its builds are ended, its history is kept. 200 once it ' +
      'is gone, 202 while that takes.',
    timeLimit: PATIENCE_MS,
    schema: {
      params: PipelineParams,
      response: { 200: Gone, 202: Gone },
    },
    handler: async ({ params }, reply) => {
      const removed = await deletePipeline(params, partsOf(ports));
      if (removed.answer !== 'gone' && removed.answer !== 'waiting')
        throw problemOf(removed, `Pipeline ${params.pipeline}`);
      return reply.code(removed.answer === 'gone' ? 200 : 202).send({ data: { name: params.pipeline } });
    },
  });
}

function partsFor(team: string, ports: TextPorts): ChangePipelinePorts {
  return { ...partsOf(ports), compiler: ports.compilerOf(team) };
}

/** An empty name takes away what was there. */
function changed(known: PipelineSpec, fields: Static<typeof Changes>): PipelineSpec {
  const { config = known.config, vars = known.vars, public: open = known.public } = fields;
  const { display_name: displayName = known.displayName } = fields;
  return {
    config,
    ...(vars !== undefined && { vars }),
    ...(open !== undefined && { public: open }),
    ...(displayName !== undefined && displayName !== '' && { displayName }),
  };
}
