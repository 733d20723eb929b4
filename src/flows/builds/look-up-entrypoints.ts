import { entrypointOf } from '#domain/planning/entrypoint.ts';
import { fillEntrypoints, imagesToLookUp } from '#domain/planning/fill-entrypoints.ts';
import type { PlanContainer } from '#domain/planning/plan.ts';
import type { ImageKey, ImageLookUps } from './image-ports.ts';

/** `wait`: the caller tries again. `end`: the caller gives up. The reason is one or more sentences. */
export type EntrypointsAnswer =
  | { answer: 'found'; entrypoints: Record<string, string[]> }
  | { answer: 'wait' | 'end'; reason: string };

/** The Pod that runs the images. */
export interface PodOfImages extends Omit<ImageKey, 'image'> {
  podName: string;
}

/** Fills in the entrypoints of the work's images, or answers why they are not known. */
export async function withEntrypoints<Work extends { containers: PlanContainer[] }>(
  work: Work,
  pod: PodOfImages,
  lookUps: ImageLookUps,
): Promise<{ answer: 'filled'; work: Work } | Exclude<EntrypointsAnswer, { answer: 'found' }>> {
  const images = imagesToLookUp(work);
  if (images.length === 0) return { answer: 'filled', work };
  const result = await lookUpEntrypoints(images, pod, lookUps);
  if (result.answer !== 'found') return result;
  return { answer: 'filled', work: fillEntrypoints(work, result.entrypoints) };
}

/** Looks up, for each image, the command that it runs if the pipeline gives none. */
export async function lookUpEntrypoints(
  images: readonly string[],
  pod: PodOfImages,
  lookUps: ImageLookUps,
): Promise<EntrypointsAnswer> {
  const answers = await Promise.all(images.map((image) => lookUpEntrypoint(image, pod, lookUps)));
  const entrypoints: Record<string, string[]> = {};
  const failures: { answer: 'wait' | 'end'; reason: string }[] = [];
  for (const answer of answers) {
    if (answer.answer === 'found') Object.assign(entrypoints, answer.entrypoints);
    else failures.push(answer);
  }
  if (failures.length === 0) return { answer: 'found', entrypoints };
  const mustEnd = failures.some(({ answer }) => answer === 'end');
  return { answer: mustEnd ? 'end' : 'wait', reason: failures.map(({ reason }) => reason).join(' ') };
}

async function lookUpEntrypoint(
  image: string,
  { podName, namespace, architecture }: PodOfImages,
  lookUps: ImageLookUps,
): Promise<EntrypointsAnswer> {
  const result = await lookUps.lookUp({ namespace, image, architecture }, podName);
  if (result.answer !== 'found') return result;
  const decision = entrypointOf(result.configuration);
  return decision.answer === 'runs'
    ? { answer: 'found', entrypoints: { [image]: decision.argv } }
    : { answer: 'end', reason: `The image ${image} cannot run: ${decision.reason}` };
}
