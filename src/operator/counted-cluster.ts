import type { Cluster } from '#flows/pods/ports.ts';
import type { OperatorMetrics } from './metrics.ts';

/** Wraps a cluster, and counts the results of its requests to create Pods. */
export function countedCluster(cluster: Cluster, metrics: OperatorMetrics): Cluster {
  return {
    ...cluster,
    async createBuildPod(build, pod) {
      const answer = await cluster.createBuildPod(build, pod);
      metrics.podRequested('build', answer.answer === 'refused' ? answer.reason : answer.answer);
      return answer;
    },
    async createWarmPod(warm, pod) {
      const answer = await cluster.createWarmPod(warm, pod);
      metrics.podRequested('warm', answer.answer === 'refused' ? answer.reason : answer.answer);
      return answer;
    },
    async createCheckPod(run, pod) {
      const answer = await cluster.createCheckPod(run, pod);
      metrics.podRequested('check', answer.answer === 'refused' ? answer.reason : answer.answer);
      return answer;
    },
  };
}
