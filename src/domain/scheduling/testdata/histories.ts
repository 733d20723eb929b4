import { BUILDS } from './histories-of-builds.ts';
import { CASCADES } from './histories-of-cascades.ts';
import { DECISIONS } from './histories-of-decisions.ts';
import { HOOKS } from './histories-of-hooks.ts';
import { INPUTS } from './histories-of-inputs.ts';
import { JOINS_AND_PINS } from './histories-of-joins-and-pins.ts';
import { PEOPLE } from './histories-of-people.ts';
import { RENAMES } from './histories-of-renames.ts';
import { SCOPES } from './histories-of-scopes.ts';
import { STATES } from './histories-of-states.ts';
import { SUPERSEDING } from './histories-of-superseding.ts';
import { VERSIONS } from './histories-of-versions.ts';
import type { Histories } from './history-format.ts';

/** All histories, by subject. */
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
  ...INPUTS,
  ...JOINS_AND_PINS,
};
