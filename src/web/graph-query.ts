/** What the query of the page's address says about the graph. */
export interface GraphQuery {
  hideIntermediates: boolean;
  groupParallel: boolean;
  /** The resource whose version is followed. */
  resource?: string;
  /** Id of the version that is followed. */
  version?: number;
}

export function parseGraphQuery(search: string): GraphQuery {
  const parameters = new URLSearchParams(search);
  const isOn = (name: string): boolean => ['1', 'true'].includes(parameters.get(name) ?? '');
  const resource = parameters.get('resource') ?? '';
  const version = Number(parameters.get('version'));
  return {
    hideIntermediates: isOn('hide_intermediates'),
    groupParallel: isOn('group_parallel'),
    ...(resource !== '' && { resource }),
    ...(resource !== '' && Number.isSafeInteger(version) && version > 0 && { version }),
  };
}

/**
 * Returns the query part of an address: empty or `?…`. Leaves out switches that are off, and keeps the other
 * parameters of `search`.
 */
export function writeGraphQuery(search: string, query: GraphQuery): string {
  const parameters = new URLSearchParams(search);
  const set = (name: string, value: string | undefined): void => {
    if (value === undefined) parameters.delete(name);
    else parameters.set(name, value);
  };
  set('hide_intermediates', query.hideIntermediates ? '1' : undefined);
  set('group_parallel', query.groupParallel ? '1' : undefined);
  set('resource', query.resource);
  set('version', query.version?.toString());
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** The query for the API, which has only the switches of the graph. */
export function switchesOf({ hideIntermediates, groupParallel }: GraphQuery): string {
  return writeGraphQuery('', { hideIntermediates, groupParallel });
}
