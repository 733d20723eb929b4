import type { ComponentChildren, JSX } from 'preact';
import type { CardFilter } from '#domain/graph/order-cards.ts';
import { chipsOf, overviewPath, type OverviewSection } from '#domain/graph/overview-sections.ts';
import { CARD_WORDS, type CardStatus } from '#domain/graph/pipeline-card.ts';
import { countOf } from '#domain/words.ts';
import { TeamSection } from './overview-cards.tsx';
import type { ViewedTeam } from './overview-state.ts';
import type { PictureVersions } from './picture-versions.ts';

interface OverviewProps {
  base: string;
  filter: CardFilter;
  counts: ReadonlyMap<CardStatus, number>;
  /** How many cards match, including those that are not shown yet. */
  found: number;
  /** How many cards there are. */
  all: number;
  /** How many matching cards are shown only after a press on "Show more". */
  more: number;
  sections: OverviewSection<ViewedTeam>[];
  isSorted: boolean;
  isConnected: boolean;
  now: Date;
  pictures: PictureVersions;
  choose: (status: CardStatus | undefined) => void;
  clear: () => void;
  sort: () => void;
  showMore: () => void;
}

/** Everything below the search box. */
export function OverviewBody(props: OverviewProps): JSX.Element {
  const { base, found, all, more, sections, now, pictures } = props;
  const isOnly = base !== '/teams';
  // The page of a team says how to create the first pipeline.
  if (isOnly && all === 0) return <></>;
  return (
    <>
      {all > 0 && <Chips {...props} />}
      {all > 0 && <Note {...props} />}
      {sections.length === 0 && (
        <p class="overview-nothing">
          Nothing matches. <ActionLink href={base} act={props.clear} label="Show all pipelines" />
        </p>
      )}
      {sections.map((section) => (
        <TeamSection key={section.team.name} {...{ section, now, isOnly, pictures }} />
      ))}
      {more > 0 && (
        <p>
          <button type="button" class="quiet" onClick={props.showMore}>
            Show more of {found} pipelines
          </button>
        </p>
      )}
    </>
  );
}

function Chips({ base, filter, counts, choose }: OverviewProps): JSX.Element {
  const chip = (status: CardStatus | undefined, label: ComponentChildren): JSX.Element => (
    <li key={status ?? 'all'}>
      <ActionLink
        class={`overview-chip ${status ?? 'all'}`}
        href={overviewPath(base, { text: filter.text, ...(status !== undefined && { status }) })}
        act={() => choose(status)}
        isCurrent={filter.status === status}
        label={label}
      />
    </li>
  );
  return (
    <nav class="overview-chips" aria-label="Filter by status">
      <ul>
        {chip(undefined, 'all')}
        {chipsOf(counts, filter.status).map(({ status, count }) =>
          chip(
            status,
            <>
              <span class="overview-status">{CARD_WORDS[status]}</span> <span>{count}</span>
            </>,
          ),
        )}
      </ul>
    </nav>
  );
}

function Note({ found, all, isSorted, isConnected, sort }: OverviewProps): JSX.Element {
  const pipelines = countOf(all, 'pipeline');
  return (
    <p class="overview-note">
      <span role="status">{found === all ? pipelines : `${found} of ${pipelines}`}</span>
      {!isConnected && <span class="help">not up to date: reconnecting</span>}
      {!isSorted && (
        <button type="button" class="quiet" onClick={sort}>
          Sort again
        </button>
      )}
    </p>
  );
}

interface ActionLinkProps {
  href: string;
  act: () => void;
  label: ComponentChildren;
  class?: string;
  isCurrent?: boolean;
}

/** A link that calls `act`, unless the viewer opens it in another tab or window. */
function ActionLink({ href, act, label, isCurrent = false, class: names }: ActionLinkProps): JSX.Element {
  return (
    <a
      class={names}
      href={href}
      aria-current={isCurrent ? 'true' : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        act();
      }}
    >
      {label}
    </a>
  );
}
