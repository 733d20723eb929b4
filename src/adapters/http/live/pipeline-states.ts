import { encodeJob } from '#adapters/http/api/jobs.ts';
import { encodePipeline } from '#adapters/http/api/pipelines.ts';
import { encodePublicState } from '#adapters/http/api/public-schemas.ts';
import { encodeResource } from '#adapters/http/api/resources.ts';
import type { PipelineName } from '#flows/names.ts';
import type { Views } from '#flows/views/ports.ts';
import type { PublicViews } from '#flows/views/public-views.ts';
import { encodeEvent } from './encode-event.ts';
import type { PipelineFeedParts } from './pipeline-feed.ts';

type StateSource = Pick<PipelineFeedParts, 'read' | 'over'>;

/**
 * The state of a pipeline for members, encoded as in the responses of the API, but without the tokens of
 * webhooks.
 */
export function stateForMembers(
  name: PipelineName,
  views: Pick<Views, 'pipeline' | 'jobs' | 'resources'>,
): StateSource {
  return {
    over: { by: 'over', last: GONE },
    async read() {
      const [pipeline, jobs, resources] = await Promise.all([
        views.pipeline(name),
        views.jobs(name),
        views.resources(name),
      ]);
      if (pipeline === undefined || jobs === undefined || resources === undefined) return undefined;
      return {
        pipeline: encodePipeline(pipeline),
        jobs: jobs.map(encodeJob),
        resources: resources.map((resource) => encodeResource(resource, undefined)),
      };
    },
  };
}

/**
 * The state of a pipeline for the public. The last event does not tell the public whether the pipeline was
 * deleted or made private.
 */
export function stateForPublic(name: PipelineName, { snapshot }: Pick<PublicViews, 'snapshot'>): StateSource {
  return {
    over: { by: 'rights', last: HIDDEN },
    async read() {
      const publicSnapshot = await snapshot(name);
      return publicSnapshot && encodePublicState(publicSnapshot);
    },
  };
}

const GONE = encodeEvent({
  name: 'end',
  data: { complete: false, reason: 'There is no longer a pipeline of this name.' },
});
const HIDDEN = encodeEvent({
  name: 'closed',
  data: { reason: 'Nothing here is public any longer.' },
});
