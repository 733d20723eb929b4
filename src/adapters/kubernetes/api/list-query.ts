import { defined } from '#defined';

export const JSON_TYPE = 'application/json';

export interface ListOptions {
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  /** Requests only the metadata of the objects. */
  metadataOnly?: boolean | undefined;
}

/**
 * The `Accept` header for whole objects, or for their metadata only. `kind` is the kind of the metadata
 * response: the default is for a list, and a watch needs `PartialObjectMetadata`.
 */
export function acceptHeader({ metadataOnly }: ListOptions, kind = 'PartialObjectMetadataList'): string {
  return metadataOnly === true ? `${JSON_TYPE};as=${kind};g=meta.k8s.io;v=v1` : JSON_TYPE;
}

export interface ListBody<T> {
  /** The API server writes null for an empty list of some kinds. */
  items?: T[] | null;
  metadata?: { resourceVersion?: string; continue?: string };
}

/** Fills in the parts that the API server left out. */
export function completeList<T>({ items, metadata }: ListBody<T>): Required<ListBody<T>> & { items: T[] } {
  return { items: items ?? [], metadata: metadata ?? {} };
}

export function selectors(options: ListOptions): Record<string, string> {
  return defined({ labelSelector: options.labelSelector, fieldSelector: options.fieldSelector });
}

export function withQuery(path: string, query: Record<string, string>): string {
  return `${path}?${new URLSearchParams(query).toString()}`;
}
