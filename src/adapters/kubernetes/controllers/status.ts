import { orAbsent } from '#adapters/kubernetes/api/answer.ts';
import { covers } from '#adapters/kubernetes/api/apply-if-changed.ts';
import type { ApiClient, JsonPatch } from '#adapters/kubernetes/api/client.ts';
import type { ApiKind, ObjectRef } from '#adapters/kubernetes/api/kinds.ts';
import type { ObjectProjection } from '#adapters/kubernetes/informers/projections.ts';

interface WithStatus {
  metadata?: { name?: string; namespace?: string; uid?: string; finalizers?: string[] };
  status?: object;
}

/**
 * Writes the whole status unless it is unchanged. The uid prevents a write to a new object of the same name.
 * Also returns `written` if the object no longer exists.
 */
export async function writeStatus<T extends WithStatus>(
  client: Pick<ApiClient, 'applyStatus'>,
  kind: ApiKind<T>,
  object: ObjectProjection & { status?: object | undefined },
  status: NonNullable<T['status']>,
): Promise<'written' | 'same'> {
  if (covers(object.status, status) && covers(status, object.status)) return 'same';
  const answer = await client.applyStatus(kind, { metadata: { ...ref(object), uid: object.uid }, status });
  // 409: an object with this name has another uid, so the object to update no longer exists.
  if (answer.ok || answer.status === 409) return 'written';
  orAbsent(answer, `writing the status of ${kind.kind} ${object.name}`);
  return 'written';
}

/** Adds the finalizer, and changes nothing else. */
export async function addFinalizer<T extends WithStatus>(
  client: Pick<ApiClient, 'patchJson'>,
  kind: ApiKind<T>,
  object: ObjectProjection,
  finalizer: string,
): Promise<void> {
  if (object.finalizers.includes(finalizer)) return;
  const patch: JsonPatch[] = [
    { op: 'test', path: '/metadata/uid', value: object.uid },
    { op: 'test', path: '/metadata/resourceVersion', value: object.resourceVersion },
    object.finalizers.length === 0
      ? { op: 'add', path: '/metadata/finalizers', value: [finalizer] }
      : { op: 'add', path: '/metadata/finalizers/-', value: finalizer },
  ];
  orAbsent(
    await client.patchJson(kind, ref(object), patch),
    `adding the finalizer to ${kind.kind} ${object.name}`,
  );
}

/** Removes only this finalizer, wherever it is in the list. */
export async function removeFinalizer<T extends WithStatus>(
  client: Pick<ApiClient, 'get' | 'patchJson'>,
  kind: ApiKind<T>,
  object: ObjectProjection,
  finalizer: string,
): Promise<void> {
  const operation = `removing the finalizer from ${kind.kind} ${object.name}`;
  const current = orAbsent(await client.get(kind, ref(object)), operation);
  const index = current?.metadata?.finalizers?.indexOf(finalizer) ?? -1;
  if (index === -1 || current?.metadata?.uid !== object.uid) return;
  const path = `/metadata/finalizers/${index}`;
  const patch: JsonPatch[] = [
    { op: 'test', path: '/metadata/uid', value: object.uid },
    { op: 'test', path, value: finalizer },
    { op: 'remove', path },
  ];
  orAbsent(await client.patchJson(kind, ref(object), patch), operation);
}

function ref(object: ObjectProjection): ObjectRef {
  return object.namespace === '' ? { name: object.name } : { name: object.name, namespace: object.namespace };
}
