/** The fields that every object in a store has. Most stores hold projections, which have more fields. */
export interface CachedObject {
  namespace: string;
  name: string;
  uid: string;
  resourceVersion: string;
}

export type ObjectChange<S extends CachedObject> =
  | { type: 'added'; key: string; object: S }
  | { type: 'updated'; key: string; object: S; previous: S }
  | { type: 'deleted'; key: string; object: S };

/** Key of an object in queues and stores: `namespace/name`, or the name of a cluster-scoped object. */
export function objectKey(object: { namespace?: string | undefined; name: string }): string {
  return object.namespace === undefined || object.namespace === ''
    ? object.name
    : `${object.namespace}/${object.name}`;
}

/** The cached objects of one watch. `put`, `remove` and `replace` return what they changed. */
export class Store<S extends CachedObject> {
  readonly #objects = new Map<string, S>();

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): S | undefined {
    return this.#objects.get(key);
  }

  values(): MapIterator<S> {
    return this.#objects.values();
  }

  /**
   * Adds or updates an object. If the store has an object with this name and another uid, the changes are the
   * deletion of that object and an addition.
   */
  put(object: S): ObjectChange<S>[] {
    const key = objectKey(object);
    const previous = this.#objects.get(key);
    if (previous?.resourceVersion === object.resourceVersion && previous.uid === object.uid) return [];
    this.#objects.set(key, object);
    if (previous === undefined) return [{ type: 'added', key, object }];
    if (previous.uid === object.uid) return [{ type: 'updated', key, object, previous }];
    return [
      { type: 'deleted', key, object: previous },
      { type: 'added', key, object },
    ];
  }

  /** Removes an object. Changes nothing if the store has an object with this name and another uid. */
  remove(object: S): ObjectChange<S>[] {
    const key = objectKey(object);
    const previous = this.#objects.get(key);
    if (previous === undefined || previous.uid !== object.uid) return [];
    this.#objects.delete(key);
    return [{ type: 'deleted', key, object }];
  }

  /** Replaces all objects with those of a new list. */
  replace(objects: S[]): ObjectChange<S>[] {
    const keys = new Set(objects.map(objectKey));
    const removed = [...this.#objects.values()].filter((object) => !keys.has(objectKey(object)));
    return [
      ...removed.flatMap((object) => this.remove(object)),
      ...objects.flatMap((object) => this.put(object)),
    ];
  }
}
