import type { JSX } from 'preact';
import { countOf } from '#domain/words.ts';
import type { GraphQuery } from './graph-query.ts';
import { progressOf } from './graph/path-in-graph.ts';
import type { FollowedPath, ListedVersion } from './pipeline-requests.ts';
import { versionInWords } from './version-words.ts';

interface GraphToolsProps {
  query: GraphQuery;
  onChange: (query: GraphQuery) => void;
  /** The resources whose versions can be followed. Empty for the public. */
  resources: readonly string[];
  versions: readonly ListedVersion[];
  path: FollowedPath | undefined;
  /** Loads older versions. Undefined: there are none. */
  onOlder: (() => void) | undefined;
}

/** The controls of the graph: which nodes it draws, and which version it follows. */
export function GraphTools(props: GraphToolsProps): JSX.Element {
  const { query, onChange, resources } = props;
  return (
    <div class="graph-tools">
      <label>
        <input
          type="checkbox"
          checked={query.hideIntermediates}
          onChange={({ currentTarget }) => onChange({ ...query, hideIntermediates: currentTarget.checked })}
        />{' '}
        Hide intermediates
      </label>
      <label>
        <input
          type="checkbox"
          checked={query.groupParallel}
          onChange={({ currentTarget }) => onChange({ ...query, groupParallel: currentTarget.checked })}
        />{' '}
        Group parallel
      </label>
      {resources.length > 0 && <VersionTools {...props} />}
    </div>
  );
}

function VersionTools({ query, onChange, resources, versions, path, onOlder }: GraphToolsProps): JSX.Element {
  const { hideIntermediates, groupParallel, resource, version } = query;
  const shape = { hideIntermediates, groupParallel };
  return (
    <div class="graph-follow">
      <select
        aria-label="Follow a version of"
        value={resource ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange(value === '' ? shape : { ...shape, resource: value })
        }
      >
        <option value="">Follow a version of…</option>
        {resources.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      {resource !== undefined && (
        <select
          aria-label={`Version of ${resource}`}
          value={version?.toString() ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...shape, resource, ...(value !== '' && { version: Number(value) }) })
          }
        >
          <option value="">{versions.length === 0 ? 'No versions' : 'Choose a version…'}</option>
          {withFollowed(versions, version, path).map((listed) => (
            <option key={listed.id} value={String(listed.id)}>
              {versionInWords(listed.version)}
            </option>
          ))}
        </select>
      )}
      {onOlder !== undefined && (
        <button type="button" class="quiet" onClick={onOlder}>
          Older versions
        </button>
      )}
      {version !== undefined && (
        <button type="button" class="quiet" onClick={() => onChange(shape)}>
          Stop following
        </button>
      )}
    </div>
  );
}

/** Adds the followed version to the end of the list if the list lacks it: it is usually older. */
function withFollowed(
  versions: readonly ListedVersion[],
  version: number | undefined,
  path: FollowedPath | undefined,
): readonly ListedVersion[] {
  const isListed = versions.some(({ id }) => id === version);
  return isListed || path === undefined || path.version.id !== version
    ? versions
    : [...versions, path.version];
}

/** Says how many of the jobs have built the followed version. */
export function PathNote({ path }: { path: FollowedPath | undefined }): JSX.Element {
  const { built, all } = path === undefined ? { built: 0, all: 0 } : progressOf(path);
  return (
    <p class="graph-note" role="status">
      {path !== undefined && (
        <>
          {path.resource} {versionInWords(path.version.version)}: built by {built} of {countOf(all, 'job')}
        </>
      )}
    </p>
  );
}
