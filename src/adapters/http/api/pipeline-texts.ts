import { Type } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { readPipeline, validatePipeline } from '#flows/pipelines/change-pipeline.ts';
import { previewPipeline } from '#flows/pipelines/preview-pipeline.ts';
import type { AccessPorts } from './access-ports.ts';
import { objectProblem } from './cluster-objects.ts';
import type { CompileSlots } from './compile-limits.ts';
import {
  changePorts,
  encodeFinding,
  encodeVerdict,
  FindingSchema,
  RESPONSE_TIME_LIMIT_MS,
  Verdict,
} from './pipeline-results.ts';
import { body } from './request-bodies.ts';
import { answer, PipelineParams, Strings, TeamParams } from './schemas.ts';

/* The routes that validate the text of a pipeline, and that return the text of a pipeline. */

export const MAX_TEXT_CHARACTERS = 262_144;
/** More than the text itself, because JSON may escape characters and the body also has the variables. */
export const MAX_BODY_BYTES = 1024 * 1024;

export const Config = Type.String({ minLength: 1, maxLength: MAX_TEXT_CHARACTERS });
export const Vars = Type.Optional(
  Type.Record(Type.String({ maxLength: 256 }), Type.String({ maxLength: 65_536 })),
);

export interface TextPorts extends AccessPorts, CompileSlots {
  previewsOf: (team: string) => AccessPorts['previews'];
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
    handler: async ({ params: { team }, body: { config, vars, picture: wantsPicture = false } }) => {
      const text = { config, ...defined({ vars }) };
      const { findings, picture, pictureRefused } = wantsPicture
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
  ...Verdict,
  ready: Type.Optional(Type.Boolean()),
  managed_by_manifest: Type.Optional(Type.Boolean()),
};

function definitionRoute(ports: AccessPorts): Route {
  return route({
    method: 'GET',
    url: '/teams/:team/pipelines/:pipeline/definition',
    needs: 'maintain',
    about:
      'Text, variables and settings of a pipeline that was created over the API, and the `generation` that ' +
      'an update can require. `ready`, `pending`, `reason` and `message` say whether the pipeline runs that ' +
      'text. For a pipeline that a manifest manages, `managed_by_manifest` and the text that runs.',
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
  ready?: boolean;
  pending?: boolean;
  reason?: string;
  message?: string;
  managed_by_manifest?: boolean;
}

/**
 * Returns the saved definition of a pipeline that the API created. For a pipeline that a manifest manages,
 * returns the text that runs. Throws a problem if there is neither.
 */
export async function readPipelineText(
  name: { team: string; pipeline: string },
  ports: AccessPorts,
): Promise<Definition> {
  const result = await readPipeline(name, changePorts(ports));
  if (result.answer === 'done') {
    const { spec, generation } = result.value;
    const { config, vars = {}, displayName, public: isPublic } = spec;
    return {
      name: result.value.name,
      config,
      vars,
      generation,
      ...encodeVerdict(result.value),
      ...defined({ display_name: displayName, public: isPublic }),
    };
  }
  const runningText = result.answer === 'managed' ? await ports.runningTexts.textOf(name) : undefined;
  if (runningText === undefined) throw objectProblem(result, `Pipeline ${name.pipeline}`);
  return { name: name.pipeline, config: runningText, vars: {}, managed_by_manifest: true };
}
