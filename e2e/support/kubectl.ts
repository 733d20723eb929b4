import { runOrThrow } from './command.ts';

/** Runs the kubectl on PATH; `make test` puts the embedded cluster's first. */
export const kubectl = (...args: string[]): Promise<string> => runOrThrow('kubectl', args);

export const apply = (manifest: string | object): Promise<string> =>
  runOrThrow('kubectl', ['apply', '-f', '-'], {
    input: typeof manifest === 'string' ? manifest : JSON.stringify(manifest),
  });

export interface KubernetesObject {
  metadata: {
    name: string;
    namespace?: string;
    uid: string;
    resourceVersion: string;
    generation?: number;
    labels?: Record<string, string>;
    ownerReferences?: { kind: string; name: string }[];
    annotations?: Record<string, string>;
    finalizers?: string[];
    deletionTimestamp?: string;
  };
  spec: Record<string, unknown>;
  status?: Status;
}

interface Status extends Record<string, unknown> {
  observedGeneration?: number;
  conditions?: ObjectCondition[];
  phase?: string;
  podIP?: string;
}

export interface ObjectCondition {
  type: string;
  status: string;
  reason: string;
  message: string;
}

export const condition = (object: KubernetesObject, type: string): ObjectCondition => {
  const found = object.status?.conditions?.find((candidate) => candidate.type === type);
  if (found === undefined)
    throw new Error(`${object.metadata.name} has no condition ${type}: ${JSON.stringify(object.status)}`);
  return found;
};
