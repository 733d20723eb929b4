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

/** Fills the entrypoints of its images into the work, or answers why they are not known. */
export async function withEntrypoints<W extends { containers: PlanContainer[] }>(
  work: W,
  pod: PodOfImages,
  lookUps: ImageLookUps,
): Promise<{ answer: 'filled'; work: W } | Exclude<EntrypointsAnswer, { answer: 'found' }>> {
  const images = imagesToLookUp(work);
  if (images.length === 0) return { answer: 'filled', work };
  const result = await lookUpEntrypoints(images, pod, lookUps);
  if (result.answer !== 'found') return result;
  return { answer: 'filled', work: fillEntrypoints(work, result.entrypoints) };
}

/** What each image runs if the pipeline gives no command, by image. */
export async function lookUpEntrypoints(
  images: readonly string[],
  pod: PodOfImages,
  lookUps: ImageLookUps,
): Promise<EntrypointsAnswer> {
  const answers = await Promise.all(images.map((image) => lookUpEntrypoint(image, pod, lookUps)));
  const failures = answers.filter((answer) => answer.answer !== 'found');
  if (failures.length > 0) {
    const ends = failures.some(({ answer }) => answer === 'end');
    return { answer: ends ? 'end' : 'wait', reason: failures.map(({ reason }) => reason).join(' ') };
  }
  return { answer: 'found', entrypoints: Object.assign({}, ...answers.map(entrypointsIn)) };
}

const entrypointsIn = (answer: EntrypointsAnswer): Record<string, string[]> =>
  answer.answer === 'found' ? answer.entrypoints : {};

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
