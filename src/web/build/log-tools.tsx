import type { JSX, RefObject } from 'preact';
import type { LogPreferences } from './log-preferences.ts';
import type { FoundLine, LogSearch } from './search-log.ts';

interface LogToolsProps {
  search: LogSearch;
  current: FoundLine | undefined;
  field: RefObject<HTMLInputElement | null>;
  preferences: LogPreferences;
  /** The address of the plain text. */
  plainTextUrl: string;
  /** Undefined: the log is complete, so it cannot be followed. */
  following: boolean | undefined;
  onFollow: (following: boolean) => void;
  onSearch: (query: string) => void;
  onGo: (by: 1 | -1) => void;
  onPrefer: (preferences: LogPreferences) => void;
  onFoldAll: (open: boolean) => void;
}

/** The controls of a log. */
export function LogTools(tools: LogToolsProps): JSX.Element {
  const { preferences, plainTextUrl, following, onFollow, onPrefer, onFoldAll } = tools;
  return (
    <div class="build-tools">
      <SearchField {...tools} />
      {following !== undefined && (
        <label>
          <input
            type="checkbox"
            checked={following}
            onChange={({ currentTarget }) => onFollow(currentTarget.checked)}
          />{' '}
          Follow
        </label>
      )}
      <label>
        <input
          type="checkbox"
          checked={preferences.wrap}
          onChange={({ currentTarget }) => onPrefer({ ...preferences, wrap: currentTarget.checked })}
        />{' '}
        Wrap
      </label>
      <label>
        <input
          type="checkbox"
          checked={preferences.timestamps}
          onChange={({ currentTarget }) => onPrefer({ ...preferences, timestamps: currentTarget.checked })}
        />{' '}
        Times
      </label>
      <button type="button" class="quiet" onClick={() => onFoldAll(true)}>
        Unfold all
      </button>
      <button type="button" class="quiet" onClick={() => onFoldAll(false)}>
        Fold all
      </button>
      <a href={plainTextUrl}>As plain text</a>
    </div>
  );
}

function SearchField({ search, current, field, onSearch, onGo }: LogToolsProps): JSX.Element {
  const go = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault();
      onGo(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') onSearch('');
  };
  return (
    <div class="build-search" role="search" aria-label="In the log">
      <input
        ref={field}
        type="search"
        aria-label="Search the log"
        placeholder="Search the log"
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        value={search.text}
        onInput={({ currentTarget }) => onSearch(currentTarget.value)}
        onKeyDown={go}
      />
      <button type="button" class="quiet" onClick={() => onGo(-1)} aria-label="Previous line found">
        ↑
      </button>
      <button type="button" class="quiet" onClick={() => onGo(1)} aria-label="Next line found">
        ↓
      </button>
      <span id="log-found" role="status" class="help">
        {foundWords(search, current)}
      </span>
    </div>
  );
}

function foundWords(search: LogSearch, current: FoundLine | undefined): string {
  if (search.query === '') return '';
  const count = search.count.toLocaleString('en');
  if (search.count === 0) return 'No line found';
  const total = search.isFull ? `more than ${count}` : count;
  if (current !== undefined) return `Line ${(search.indexOf(current) + 1).toLocaleString('en')} of ${total}`;
  return search.count === 1 ? '1 line' : `${total} lines`;
}
