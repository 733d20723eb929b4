import type { Role } from '#domain/access/roles.ts';
import { hiddenTeamLabel, type OverviewSection, type OverviewTeam } from '#domain/graph/overview-sections.ts';
import { CARD_WORDS, titleOf, type CardBuild, type PipelineCard } from '#domain/graph/pipeline-card.ts';
import { html, type Html } from './html.ts';
import { timeElement } from './layout.ts';
import { paths } from './paths.ts';

/*
 * The cards of an overview. `src/web/overview-cards.tsx` draws the same elements in the browser, so that
 * nothing on the page moves when the script replaces what the server rendered.
 */

export interface SectionTeam extends OverviewTeam {
  /** The role of the viewer. */
  role: Role | undefined;
  /** Whether the viewer may create pipelines in the team. */
  mayCreate: boolean;
}

export function overviewSection({ team, cards }: OverviewSection<SectionTeam>, isOnlyTeam: boolean): Html {
  const id = `team-${team.name}`;
  return html`<section class="overview-team" aria-labelledby="${id}">
    <h2 id="${id}">
      ${isOnlyTeam ? html`Pipelines` : html`<a href="${paths.team(team.name)}">${titleOf(team)}</a>`}
      ${!isOnlyTeam && team.role !== undefined && html`<span class="tag">${team.role}</span>`}
    </h2>
    ${
      cards.length > 0
        ? html`<ul class="overview-cards">
            ${cards.map(overviewCard)}
          </ul>`
        : noCards(team)
    }
  </section>`;
}

function noCards(team: SectionTeam): Html {
  const url = paths.team(team.name);
  if (!team.shown) return html`<p>This overview is full. <a href="${url}">${hiddenTeamLabel(team)}</a></p>`;
  return html`<p>No pipelines yet. ${team.mayCreate && html`<a href="${url}">Create the first one</a>`}</p>`;
}

function overviewCard(card: PipelineCard): Html {
  const { team, name, status, newest, running } = card;
  const url = paths.pipeline({ team, pipeline: name });
  return html`<li class="overview-card ${status}">
    <div class="overview-picture">
      <img src="${url}/image.svg?hide_intermediates=1" alt="" loading="lazy" />
    </div>
    <h3 class="overview-name">
      <a href="${url}">${titleOf(card)}</a>
      ${card.public && html`<span class="tag">public</span>`}
    </h3>
    <p class="overview-state">
      <span class="overview-status">${CARD_WORDS[status]}</span> ${failedJobs(card)}
    </p>
    <p class="overview-times">
      ${running > 0 && html`<span class="overview-running">${running} running</span>`}
      ${
        newest === undefined
          ? 'no builds yet'
          : html`<span><span class="visually-hidden">newest build</span> ${timeElement(newest.at)}</span>`
      }
    </p>
  </li>`;
}

function failedJobs(card: PipelineCard): Html {
  const { failure } = card;
  if (failure === undefined) return html``;
  const others = failure.jobs - 1;
  return html`<a href="${pathOfBuild(card, failure)}">${failure.job} ${failure.number}</a>
    ${others > 0 && html`<span>and ${others} more</span>`}`;
}

function pathOfBuild({ team, name }: PipelineCard, { job, number }: CardBuild): string {
  return paths.build({ team, pipeline: name, job, number });
}
