import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import { JobParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import { chooseInputs } from '#domain/pipeline/input-values.ts';
import type { Input } from '#domain/pipeline/pipeline.ts';
import type { JobName } from '#flows/names.ts';
import { callApi } from './call-api.ts';
import type { Html } from './html.ts';
import { form, viewerOf, type PageRequest } from './page.ts';
import { namesFromParams, paths } from './paths.ts';
import { problemPage } from './problem-page.ts';
import { returnPath } from './return-path.ts';
import { triggerBody, type RefusedStart, type SentInputs } from './start-form.ts';

/** Renders the page of a job after its form was refused. */
type RenderAgain = (name: JobName, request: PageRequest['request'], refused: RefusedStart) => Promise<Html>;

/**
 * The form that starts a build. If the job does not take the values, the page of the job is shown again, with
 * the errors at their fields.
 */
export function startJob(
  { views }: Pick<PipelinePorts, 'views'>,
  { codec }: AccessPorts,
  renderAgain: RenderAgain,
): PageRoute {
  const url = '/teams/:team/pipelines/:pipeline/jobs/:job/trigger';
  return form({
    url,
    calls: { method: 'POST', url },
    params: JobParams,
    answer: async ({ params, fields, request }) => {
      const name = namesFromParams(params);
      const body = triggerBody(fields);
      const { status, data, problem, cookies } = await callApi(request, {
        method: 'POST',
        url: `${paths.job(name)}/trigger${fields['check'] === 'true' ? '?check=true' : ''}`,
        csrfToken: fields['csrf_token'],
        body,
      });
      if (problem === undefined) return { to: returnPath(data['url'] ?? paths.builds(name)), cookies };
      const inputs = status === 400 ? ((await views.job(name))?.inputs ?? []) : [];
      const refused = refusedInputs(inputs, body.inputs ?? {});
      if (refused.problems.size > 0)
        return { status, page: await renderAgain(name, request, refused), cookies };
      const back = returnPath(paths.builds(name));
      const viewer = viewerOf(request, codec);
      return { status, page: problemPage({ status, detail: problem, viewer, back }), cookies };
    },
  });
}

/** Returns the values that were sent, and for each input that does not accept its value, the reason. */
export function refusedInputs(inputs: readonly Input[], sentInputs: SentInputs): RefusedStart {
  const problems = inputs.flatMap((input): [string, string][] => {
    const sentValue = Object.hasOwn(sentInputs, input.name)
      ? { [input.name]: sentInputs[input.name] ?? null }
      : {};
    const chosen = chooseInputs([input], sentValue);
    return 'problems' in chosen
      ? [[input.name, chosen.problems.map(({ message }) => message).join(' ')]]
      : [];
  });
  const values = Object.entries(sentInputs).map(([name, value]): [string, string] => [
    name,
    [value].flat().join(','),
  ]);
  return { values: new Map(values), problems: new Map(problems) };
}
