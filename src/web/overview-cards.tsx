import type { ComponentChildren, JSX } from 'preact';
import { hiddenTeamLabel, type OverviewSection } from '#domain/graph/overview-sections.ts';
import { CARD_WORDS, titleOf, type CardBuild, type PipelineCard } from '#domain/graph/pipeline-card.ts';
import type { ViewedTeam } from './overview-state.ts';
import type { PictureVersions } from './picture-versions.ts';
import { exactTime, relativeTime } from './relative-time.ts';

/*
 * The cards of an overview, with the elements that `src/adapters/http/pages/overview-cards.ts` writes. The
 * addresses of pictures are the same until a picture changes.
 */

interface Drawing {
  now: Date;
  /** Whether the page shows a single team. */
  isOnly: boolean;
  pictures: PictureVersions;
}

export function TeamSection({
  section,
  ...drawing
}: { section: OverviewSection<ViewedTeam> } & Drawing): JSX.Element {
  const { team, cards } = section;
  const id = `team-${team.name}`;
  return (
    <section class="overview-team" aria-labelledby={id}>
      <h2 id={id}>
        {drawing.isOnly ? 'Pipelines' : <a href={teamPath(team.name)}>{titleOf(team)}</a>}
        {!drawing.isOnly && team.role !== undefined && <span class="tag">{team.role}</span>}
      </h2>
      {cards.length === 0 ? (
        <NoCards team={team} />
      ) : (
        <ul class="overview-cards">
          {cards.map((card) => (
            <Card key={card.id} card={card} {...drawing} />
          ))}
        </ul>
      )}
    </section>
  );
}

function NoCards({ team }: { team: ViewedTeam }): JSX.Element {
  const path = teamPath(team.name);
  if (!team.shown)
    return (
      <p>
        This overview is full. <a href={path}>{hiddenTeamLabel(team)}</a>
      </p>
    );
  return <p>No pipelines yet. {team.mayCreate && <a href={path}>Create the first one</a>}</p>;
}

function Card({ card, now, pictures }: { card: PipelineCard } & Drawing): JSX.Element {
  const { id, status, newest, running } = card;
  const url = pipelinePath(card);
  const version = pictures.of(id);
  return (
    <li class={`overview-card ${status}`}>
      <div class="overview-picture">
        <img
          src={`${url}/image.svg?hide_intermediates=1${version === undefined ? '' : `&at=${version}`}`}
          alt=""
          loading="lazy"
          class={pictures.isBroken(id) ? 'broken' : undefined}
          onLoad={() => pictures.loaded(id)}
          onError={() => pictures.failed(id)}
        />
      </div>
      <h3 class="overview-name">
        <a href={url}>{titleOf(card)}</a>
        {card.public && <span class="tag">public</span>}
      </h3>
      <p class="overview-state">
        <span class="overview-status">{CARD_WORDS[status]}</span> <FailedJobs card={card} />
      </p>
      <p class="overview-times">
        {running > 0 && <span class="overview-running">{running} running</span>}
        {newest === undefined ? (
          'no builds yet'
        ) : (
          <span>
            <span class="visually-hidden">newest build</span> <Time at={newest.at} now={now} />
          </span>
        )}
      </p>
    </li>
  );
}

function FailedJobs({ card }: { card: PipelineCard }): ComponentChildren {
  const { failure } = card;
  if (failure === undefined) return null;
  const others = failure.jobs - 1;
  return (
    <>
      <a href={buildPath(card, failure)}>
        {failure.job} {failure.number}
      </a>{' '}
      {others > 0 && <span>and {others} more</span>}
    </>
  );
}

/**
 * A time. A new text gets a new element, because `show-times.ts` may have changed the text of the old one.
 */
function Time({ at, now }: { at: string; now: Date }): JSX.Element {
  const time = new Date(at);
  const text = relativeTime(time, now);
  return (
    <time key={`${at} ${text}`} dateTime={at} title={exactTime(time)}>
      {text}
    </time>
  );
}

const teamPath = (team: string): string => `/teams/${encodeURIComponent(team)}/pipelines`;

const pipelinePath = ({ team, name }: PipelineCard): string =>
  `${teamPath(team)}/${encodeURIComponent(name)}`;

const buildPath = (card: PipelineCard, { job, number }: CardBuild): string =>
  `${pipelinePath(card)}/jobs/${encodeURIComponent(job)}/builds/${number}`;
