import { LABEL } from '#adapters/kubernetes/manifests/labels.ts';
import { defined } from '#defined';
import type { PodFacts } from '#flows/pods/ports.ts';

/**
 * The work that the labels of a Pod name: a build, checks, or waiting as a warm Pod. Labels prove nothing,
 * because anyone who can create Pods can set them.
 */
export function workOfLabels(labels: Record<string, string>): PodFacts['work'] | undefined {
  const number = (name: string): number | undefined =>
    /^\d{1,15}$/.test(labels[name] ?? '') ? Number(labels[name]) : undefined;
  const kind = labels[LABEL.kind];
  if (kind === 'build') {
    const [build, attempt] = [number(LABEL.buildId), number(LABEL.attempt)];
    return build === undefined || attempt === undefined ? undefined : { kind: 'build', build, attempt };
  }
  if (kind === 'warm') {
    const warm = number(LABEL.warmPod);
    return warm === undefined ? undefined : { kind: 'warm', warm };
  }
  const pipelineId = number(LABEL.pipelineId);
  if (kind !== 'check' || pipelineId === undefined) return undefined;
  const [run, group] = [number(LABEL.run), labels[LABEL.checkGroup]];
  return {
    kind: 'checks',
    pipelineId,
    ...defined({ run, group }),
  };
}
