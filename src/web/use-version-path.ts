import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { GraphQuery } from './graph-query.ts';
import type { PipelineEventData } from './graph/pipeline-state.ts';
import { withNewestVersions, withOlderVersions, type KnownVersions } from './listed-versions.ts';
import {
  fetchVersions,
  fetchVersionPath,
  type FollowedPath,
  type ListedVersion,
} from './pipeline-requests.ts';
import { problemWords } from './problem-words.ts';

interface VersionToFollow {
  pipeline: string;
  query: GraphQuery;
  state: PipelineEventData;
  isMember: boolean;
}

interface FollowedVersion {
  path: FollowedPath | undefined;
  versions: readonly ListedVersion[];
  /** Loads older versions. Undefined: there are none. */
  older: (() => void) | undefined;
  problem: string | undefined;
}

/** The versions of the chosen resource, and the path of the chosen version, updated while builds run. */
export function useVersionPath({ pipeline, query, state, isMember }: VersionToFollow): FollowedVersion {
  const resource = isMember ? query.resource : undefined;
  const [problem, setProblem] = useState<string>();
  const fail = useCallback((error: unknown) => setProblem(problemWords(error)), []);
  const { versions, older } = useVersions({ pipeline, resource, state, fail });
  const [path, setPath] = useState<FollowedPath>();
  const { version } = query;
  useEffect(() => {
    setProblem(undefined);
    if (resource === undefined || version === undefined) {
      setPath(undefined);
      return undefined;
    }
    return unlessReplaced(fetchVersionPath(pipeline, resource, version), setPath, fail);
  }, [pipeline, resource, version, state, fail]);
  const isShown = path?.resource === resource && path?.version.id === version;
  return { path: isShown ? path : undefined, versions, older, problem };
}

interface VersionsToList extends Pick<VersionToFollow, 'pipeline' | 'state'> {
  resource: string | undefined;
  fail: (error: unknown) => void;
}

function useVersions({
  pipeline,
  resource,
  state,
  fail,
}: VersionsToList): Pick<FollowedVersion, 'versions' | 'older'> {
  const [known, setKnown] = useState<KnownVersions>();
  const versionCount = state.resources.find(({ name }) => name === resource)?.versions;
  useEffect(() => {
    if (resource === undefined) return undefined;
    const show = (list: ListedVersion[]): void =>
      setKnown((before) => withNewestVersions(before, resource, list));
    return unlessReplaced(fetchVersions(pipeline, resource), show, fail);
  }, [pipeline, resource, versionCount, fail]);
  const isShown = known !== undefined && known.resource === resource;
  const last = isShown ? known.list.at(-1)?.id : undefined;
  const ignoreOlder = useRef<() => void>(undefined);
  useEffect(() => () => ignoreOlder.current?.(), [pipeline, resource]);
  const older = useCallback(() => {
    if (resource === undefined || last === undefined) return;
    ignoreOlder.current?.();
    const show = (list: ListedVersion[]): void =>
      setKnown((before) => withOlderVersions(before, resource, last, list));
    ignoreOlder.current = unlessReplaced(fetchVersions(pipeline, resource, last), show, fail);
  }, [pipeline, resource, last, fail]);
  return { versions: isShown ? known.list : [], older: isShown && known.hasOlder ? older : undefined };
}

/** Calls `show` or `fail` with the answer. After a call of the returned function, it calls neither. */
function unlessReplaced<T>(
  answer: Promise<T>,
  show: (found: T) => void,
  fail: (error: unknown) => void,
): () => void {
  let isWanted = true;
  void answer.then(
    (found) => isWanted && show(found),
    (error: unknown) => isWanted && fail(error),
  );
  return () => {
    isWanted = false;
  };
}
