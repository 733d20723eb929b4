import { Type } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { readPipeline, validatePipeline } from '#flows/pipelines/change-pipeline.ts';
import { previewPipeline } from '#flows/pipelines/preview-pipeline.ts';
import type { AccountPorts } from './account-ports.ts';
import { objectProblem } from './cluster-objects.ts';
import type { CompileSlots } from './compile-limits.ts';
import { changePorts, encodeFinding, FindingSchema, RESPONSE_TIME_LIMIT_MS } from './pipeline-results.ts';
import { body } from './request-bodies.ts';
import { answer, PipelineParams, Strings, TeamParams } from './schemas.ts';

/* The texts of pipelines: what they may be, whether one is valid, and the one that a pipeline has. */

export const MAX_TEXT_CHARACTERS = 262_144;
/** Bytes. The text may be escaped, and the variables come with it. */
export const MAX_BODY_BYTES = 1024 * 1024;

export const Config = Type.String({ minLength: 1, maxLength: MAX_TEXT_CHARACTERS });
export const Vars = Type.Optional(
  Type.Record(Type.String({ maxLength: 256 }), Type.String({ maxLength: 65_536 })),
);

export interface TextPorts extends AccountPorts, CompileSlots {
  previewsOf: (team: string) => AccountPorts['previews'];
}

export function pipelineTextRoutes(ports: TextPorts): Route[] {
  return [validateRoute(ports), definitionRoute(ports)];
}

function validateRoute({ compilerOf, holdSlot, previewsOf }: TextPorts): Route {
  return route({
    method: 'POST',
    url: '/teams/:team/pipelines/validate',
    needs: 'maintain',
    about:
      'Validates a text and returns its findings by line and column, as `millrace validate` does. Nothing ' +
      'is stored. With `"picture": true` the answer for a valid text contains its graph as SVG (`picture`), ' +
      'or why there is none (`picture_refused`), such as another preview of the team that is being drawn.',
    bodyLimit: MAX_BODY_BYTES,
    timeLimit: RESPONSE_TIME_LIMIT_MS,
    schema: {
      params: TeamParams,
      body: body({ config: Config, vars: Vars, picture: Type.Optional(Type.Boolean()) }),
      response: answer({
        valid: Type.Boolean(),
        findings: Type.Array(FindingSchema),
        picture: Type.Optional(Type.String()),
        picture_refused: Type.Optional(Type.String()),
      }),
    },
    handler: async ({ params: { team }, body: { config, vars, picture: wanted = false } }) => {
      const text = { config, ...defined({ vars }) };
      const { findings, picture, pictureRefused } = wanted
        ? await holdSlot(team, (compiler) => previewPipeline(text, { compiler, drawing: previewsOf(team) }))
        : { findings: await validatePipeline(text, compilerOf(team)) };
      return {
        data: {
          valid: findings.every(({ severity }) => severity !== 'error'),
          findings: findings.map(encodeFinding),
          ...defined({ picture, picture_refused: pictureRefused }),
        },
      };
    },
  });
}

export const DefinitionSchema = {
  name: Type.String(),
  config: Type.String(),
  vars: Strings,
  display_name: Type.Optional(Type.String()),
  public: Type.Optional(Type.Boolean()),
  generation: Type.Optional(Type.Integer()),
  managed_by_manifest: Type.Optional(Type.Boolean()),
};

function definitionRoute(ports: AccountPorts): Route {
  return route({
    method: 'GET',
    url: '/teams/:team/pipelines/:pipeline/definition',
    needs: 'maintain',
    about:
      'Text, variables and settings of a pipeline that was created over the API, and the `generation` that ' +
      'an update can require. For a pipeline that a manifest manages, `managed_by_manifest` and the text ' +
      'that runs.',
    schema: { params: PipelineParams, response: answer(DefinitionSchema) },
    handler: async ({ params }) => ({ data: await readPipelineText(params, ports) }),
  });
}

interface Definition {
  name: string;
  config: string;
  vars: Record<string, string>;
  display_name?: string;
  public?: boolean;
  generation?: number;
  managed_by_manifest?: boolean;
}

/** The definition that viewers and editors get, or the problem why there is none. */
export async function readPipelineText(
  name: { team: string; pipeline: string },
  ports: AccountPorts,
): Promise<Definition> {
  const read = await readPipeline(name, changePorts(ports));
  if (read.answer === 'done') {
    const { spec, generation } = read.value;
    const { config, vars = {}, displayName, public: open } = spec;
    return {
      name: read.value.name,
      config,
      vars,
      generation,
      ...defined({ display_name: displayName, public: open }),
    };
  }
  const running = read.answer === 'managed' ? await ports.texts.textOf(name) : undefined;
  if (running === undefined) throw objectProblem(read, `Pipeline ${name.pipeline}`);
  return { name: name.pipeline, config: running, vars: {}, managed_by_manifest: true };
}
