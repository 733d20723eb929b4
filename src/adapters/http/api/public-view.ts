import { Type } from 'typebox';
import { requireVisible } from '#adapters/http/auth/public-access.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { isMember } from '#domain/access/decide-access.ts';
import type { PublicStructureStep } from '#domain/graph/public-view.ts';
import { jobStateOf, type Overview } from '#flows/views/show-pipeline.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { answer, PipelineParams } from './schemas.ts';

const IdAndName = { id: Type.Integer(), name: Type.String() };
/** A step may contain steps, so the schema refers to itself. */
const Step = Type.Cyclic(
  {
    Step: Type.Object({
      kind: Type.Enum(['get', 'task', 'put', 'notify', 'service', 'parallel', 'branch']),
      name: Type.Optional(Type.String()),
      resource: Type.Optional(Type.String()),
      passed: Type.Optional(Type.Array(Type.String())),
      trigger: Type.Optional(Type.Boolean()),
      steps: Type.Optional(Type.Array(Type.Ref('Step'))),
    }),
  },
  'Step',
);

const PublicView = {
  ...IdAndName,
  team: Type.String(),
  public: Type.Boolean(),
  paused: Type.Boolean(),
  jobs: Type.Array(
    Type.Object({
      ...IdAndName,
      paused: Type.Boolean(),
      status: Type.Optional(Type.Enum(['succeeded', 'failed', 'cancelled', 'warning'])),
      doing: Type.Optional(Type.Enum(['pending', 'waiting', 'started'])),
      steps: Type.Array(Step),
    }),
  ),
  resources: Type.Array(Type.Object({ ...IdAndName, type: Type.String(), pinned: Type.Boolean() })),
  resource_types: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
};

/**
 * The route of the public view of a pipeline. A response has only the fields that both its schema and
 * `publicStructure` list, so a field that only one of them adds stays private.
 */
export function publicViewRoutes({ overviews }: PipelinePorts): Route[] {
  return [
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline/public',
      needs: 'public',
      about:
        'The pipeline as the public may see it: names of jobs, steps, resources and types, and ' +
        'states; no parameters, commands, logs, tokens or schedules.',
      schema: { params: PipelineParams, response: answer(PublicView) },
      forPublic: 'same',
      handler: async (request) => {
        const { params, identity } = request;
        const view = await overviews.overview(params, isMember(identity, params.team));
        return { data: encodeOverview(requireVisible(request, view)) };
      },
    }),
  ];
}

function encodeOverview({ pipeline, jobs, resourceTypes, state }: Overview) {
  const { id, team, paused } = pipeline;
  const steps = new Map(jobs.map((job) => [job.name, job.steps]));
  return {
    id,
    name: pipeline.pipeline,
    team,
    public: pipeline.public,
    paused,
    jobs: state.jobs.map((job) => {
      const { ended, doing } = jobStateOf(job);
      return {
        id: job.id,
        name: job.name,
        paused: job.paused,
        ...defined({ status: ended, doing }),
        steps: steps.get(job.name) ?? NO_STEPS,
      };
    }),
    resources: state.resources.map((resource) => ({
      id: resource.id,
      name: resource.name,
      type: resource.type,
      pinned: resource.pinned,
    })),
    resource_types: resourceTypes,
  };
}

const NO_STEPS: PublicStructureStep[] = [];
