import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { get, job, pipelineOf, put, getWithoutTrigger } from './pipelines-to-draw.ts';
import { resource, samplePipeline } from './sample-pipeline.ts';

/**
 * A pipeline with about `nodes` nodes in its graph: services, each of which has eight nodes (four jobs and
 * the resources around them), a shared configuration, and a release job for each ten services. `variant`
 * changes a name, so the picture needs another layout.
 */
export function largePipeline(nodes: number, variant = 0): Pipeline {
  const services = Math.round((nodes - 1) / 8.1);
  const names = Array.from(
    { length: services },
    (_, index) => `service-${index}${index === 0 ? '-x'.repeat(variant) : ''}`,
  );
  const jobs = names.flatMap((name, index) => {
    const configuration = index % 3 === 0 ? [getWithoutTrigger('git.configuration')] : [];
    return [
      job(`${name}-unit`, get(`git.${name}`)),
      job(`${name}-build`, get(`git.${name}`, `${name}-unit`), put(`image.${name}`)),
      job(`${name}-deploy`, get(`image.${name}`, `${name}-build`), ...configuration),
      job(`${name}-smoke`, get(`image.${name}`, `${name}-deploy`)),
    ];
  });
  const releases = names
    .filter((_, index) => index % 10 === 0)
    .map((name, index) => {
      const released = names.slice(index * 10, index * 10 + 10);
      return job(`release-${name}`, ...released.map((service) => get(`git.${service}`, `${service}-build`)));
    });
  return pipelineOf(...jobs, ...releases);
}

/** A large pipeline with its types and resources, as a store saves it. */
export function wholeLargePipeline(nodes: number): Pipeline {
  const { jobs } = largePipeline(nodes);
  const names = jobs.flatMap(({ steps }) =>
    steps.flatMap((step) => ('resource' in step ? step.resource : [])),
  );
  const types = samplePipeline().resourceTypes.filter(({ name }) => name === 'git');
  return {
    resourceTypes: types.flatMap((git) => [git, { ...git, name: 'image' }]),
    resources: [...new Set(names)].map((name) => resource(name)),
    jobs,
  };
}
