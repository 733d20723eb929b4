import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { MAX_TEXT_CHARACTERS, readPipelineText } from '#adapters/http/api/pipeline-texts.ts';
import { PipelineParams, TeamParams } from '#adapters/http/api/schemas.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import type { PipelineName } from '#flows/names.ts';
import { callApi, type ApiCall, type ApiResponse } from './call-api.ts';
import { editorView, type EditorContent } from './editor-view.ts';
import { FIRST_PIPELINE } from './empty-overview.ts';
import { printable } from './html.ts';
import { form, page, viewerOf, type PageAnswer } from './page.ts';
import { paths } from './paths.ts';

/**
 * Limits of a form with the longest text. Each character may be the end of a line, which browsers send as two
 * characters. One unit of a JavaScript string takes at most three bytes, and URL encoding takes three bytes
 * for each of them.
 */
const LONG_TEXT = {
  fieldCharacters: 2 * MAX_TEXT_CHARACTERS,
  bodyBytes: 9 * MAX_TEXT_CHARACTERS + 16 * 1024,
};

const DEFINITION = '/teams/:team/pipelines/:pipeline/definition';
const NEW_PIPELINE = '/teams/:team/new-pipeline';

/** The pages of the editor: a form that checks and saves a text. The script of the page replaces the form. */
export function editorPages(ports: AccessPorts): PageRoute[] {
  const { codec } = ports;
  return [
    page({
      url: NEW_PIPELINE,
      params: TeamParams,
      answer: async ({ params: { team = '' }, request }) =>
        editorView({ viewer: viewerOf(request, codec), team, config: EXAMPLE }),
    }),
    form({
      url: NEW_PIPELINE,
      calls: { method: 'POST', url: '/teams/:team/pipelines' },
      params: TeamParams,
      limits: LONG_TEXT,
      answer: async ({ params: { team = '' }, fields, request }) => {
        const entered = { team, ...textFrom(fields), name: fields['name'] ?? '' };
        const { name, config } = entered;
        const save: ApiCall = { method: 'POST', url: paths.team(team), body: { name, config } };
        const content = { viewer: viewerOf(request, codec), ...entered };
        return await checkOrSave({ content, name: { team, pipeline: name }, save, fields, request, ports });
      },
    }),
    page({
      url: DEFINITION,
      params: PipelineParams,
      answer: async ({ params, request }) => {
        const name = nameFrom(params);
        const content = await contentOf(name, ports);
        return editorView({ viewer: viewerOf(request, codec), ...content });
      },
    }),
    form({
      url: DEFINITION,
      calls: { method: 'PUT', url: '/teams/:team/pipelines/:pipeline' },
      params: PipelineParams,
      limits: LONG_TEXT,
      answer: async ({ params, fields, request }) => {
        const name = nameFrom(params);
        const { config } = textFrom(fields);
        const entered = { config, ...generationFrom(fields) };
        const content = {
          viewer: viewerOf(request, codec),
          ...name,
          ...(await contentIfReadable(name, ports)),
          ...entered,
        };
        const save: ApiCall = { method: 'PUT', url: paths.pipeline(name), body: entered };
        return await checkOrSave({ content, name, save, fields, request, ports });
      },
    }),
  ];
}

const EXAMPLE = `# One job that runs a command. Replace it with your own.\n${FIRST_PIPELINE}\n`;

type Fields = Readonly<Record<string, string | undefined>>;

const nameFrom = ({ team = '', pipeline = '' }: Fields): PipelineName => ({ team, pipeline });

/**
 * Reads the text from a form. Browsers end its lines with a carriage return and a line feed, so the carriage
 * returns are removed.
 */
const textFrom = (fields: Fields) => ({ config: withoutReturns(fields['config'] ?? '') });

const withoutReturns = (text: string): string => text.replaceAll('\r\n', '\n');

async function contentOf(name: PipelineName, ports: AccessPorts): Promise<Omit<EditorContent, 'viewer'>> {
  const definition = await readPipelineText(name, ports);
  const config = withoutReturns(definition.config);
  const { vars, generation, managed_by_manifest: isManaged = false } = definition;
  const textReason = printable(config) === config ? undefined : ('characters' as const);
  const readOnly = isManaged ? ('manifest' as const) : textReason;
  return { ...name, config, vars, saved: config, ...defined({ generation, readOnly }) };
}

/**
 * Returns no fields if the definition cannot be read, so that the form still shows what the person entered.
 */
async function contentIfReadable(
  name: PipelineName,
  ports: AccessPorts,
): Promise<Partial<Omit<EditorContent, 'viewer'>>> {
  try {
    return await contentOf(name, ports);
  } catch (error) {
    if (error instanceof Problem) return {};
    throw error;
  }
}

/** A form has no generation if the definition could not be read when its page was rendered. */
function generationFrom({ generation }: Fields): { generation?: number } {
  return generation === undefined || generation === '' ? {} : { generation: Number(generation) };
}

interface CheckOrSaveParts {
  content: EditorContent;
  name: PipelineName;
  save: ApiCall;
  fields: Fields;
  ports: AccessPorts;
  request: Parameters<typeof viewerOf>[0];
}

/**
 * Checks or saves the text, depending on the button. The form shows the text again, unless it is saved and
 * runs.
 */
async function checkOrSave({
  content,
  name,
  save,
  fields,
  request,
  ports,
}: CheckOrSaveParts): Promise<PageAnswer> {
  const isCheck = fields['do'] !== 'save';
  const { config, vars = {} } = content;
  const check: ApiCall = {
    method: 'POST',
    url: `${paths.team(name.team)}/validate`,
    body: { config, vars, picture: true },
  };
  const call = isCheck ? check : save;
  const answer = await callApi(request, { ...call, csrfToken: fields['csrf_token'] });
  const { status, problem, findings, data } = answer;
  if (isCheck || problem !== undefined)
    return { status, page: editorView({ ...content, ...outcomeOf(answer, isCheck) }) };
  if (data['message'] === undefined) return { to: paths.pipeline(name) };
  const notice = savedNotice(answer);
  const { viewer } = content;
  const saved = { viewer, config, ...name, ...(await contentIfReadable(name, ports)) };
  return { status, page: editorView({ ...saved, findings, notice }) };
}

function savedNotice({ data, isPending }: ApiResponse): string {
  const { message } = data;
  return isPending
    ? `The text is saved. The pipeline does not run it yet: ${message}`
    : `The text is saved, but the pipeline does not run it: ${message}`;
}

function outcomeOf({ problem, findings, data }: ApiResponse, isCheck: boolean): Partial<EditorContent> {
  if (problem !== undefined && findings.length === 0) return { problem };
  const isValid = findings.every(({ severity }) => severity !== 'error');
  const verdict = isValid ? 'The text is valid.' : 'The text has errors. Nothing is saved.';
  const { picture, picture_refused: pictureRefused } = data;
  return {
    findings,
    ...defined({ picture, pictureRefused }),
    ...(isValid || isCheck ? { notice: verdict } : { problem: verdict }),
  };
}
