import type { Cluster } from '#flows/pods/ports.ts';
import type { OperatorMetrics } from './metrics.ts';

/** Counts the results of requests for Pods. */
export function countedCluster(cluster: Cluster, metrics: OperatorMetrics): Cluster {
  return {
    ...cluster,
    async createBuildPod(build, pod) {
      const answer = await cluster.createBuildPod(build, pod);
      metrics.podAsked('build', answer.answer === 'refused' ? answer.reason : answer.answer);
      return answer;
    },
    async createWarmPod(warm, pod) {
      const answer = await cluster.createWarmPod(warm, pod);
      metrics.podAsked('warm', answer.answer === 'refused' ? answer.reason : answer.answer);
      return answer;
    },
    async createCheckPod(run, pod) {
      const answer = await cluster.createCheckPod(run, pod);
      metrics.podAsked('check', answer.answer === 'refused' ? answer.reason : answer.answer);
      return answer;
    },
  };
}
