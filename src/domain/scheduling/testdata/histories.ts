import { BUILDS } from './histories-of-builds.ts';
import { CASCADES } from './histories-of-cascades.ts';
import { DECISIONS } from './histories-of-decisions.ts';
import { HOOKS } from './histories-of-hooks.ts';
import { IDEAS } from './histories-of-ideas.ts';
import { MORE_IDEAS } from './histories-of-more-ideas.ts';
import { PEOPLE } from './histories-of-people.ts';
import { RENAMES } from './histories-of-renames.ts';
import { SCOPES } from './histories-of-scopes.ts';
import { STATES } from './histories-of-states.ts';
import { SUPERSEDING } from './histories-of-superseding.ts';
import { VERSIONS } from './histories-of-versions.ts';
import type { Histories } from './history-format.ts';

/** By subject. */
export const HISTORIES: Record<string, Histories> = {
  ...STATES,
  ...BUILDS,
  ...PEOPLE,
  ...HOOKS,
  ...DECISIONS,
  ...VERSIONS,
  ...SCOPES,
  ...SUPERSEDING,
  ...CASCADES,
  ...RENAMES,
  ...IDEAS,
  ...MORE_IDEAS,
};
