import type { Evidence, Finding, Rule } from './evidence.ts';
import { foreignPodsDoNothing } from './foreign.ts';
import { attemptsAreLostToFaults, buildsEnd, coloursAreTrue, endsStay, nothingWaits } from './outcomes.ts';
import {
  buildsHaveCauses,
  nothingIsRefused,
  numbersFollow,
  revisionsAreChanges,
  shownIsRecorded,
  triggersAreAnswered,
} from './requests.ts';
import {
  greenBuildsRan,
  logsAreWhole,
  podsLiveAlone,
  putsRunOnce,
  shownLogsAreRecorded,
  stepsRunOnce,
} from './runs.ts';
import {
  lastArrives,
  passedIsRespected,
  pausesHold,
  putsAreRecorded,
  versionsAreFound,
  versionsTriggerOnce,
} from './versions.ts';

const RULES: readonly Rule[] = [
  triggersAreAnswered,
  buildsHaveCauses,
  nothingIsRefused,
  versionsAreFound,
  versionsTriggerOnce,
  passedIsRespected,
  lastArrives,
  pausesHold,
  numbersFollow,
  buildsEnd,
  endsStay,
  coloursAreTrue,
  attemptsAreLostToFaults,
  podsLiveAlone,
  stepsRunOnce,
  greenBuildsRan,
  putsRunOnce,
  putsAreRecorded,
  logsAreWhole,
  shownLogsAreRecorded,
  shownIsRecorded,
  revisionsAreChanges,
  nothingWaits,
  foreignPodsDoNothing,
];

/** Every promise against everything that is known. Pure: the same evidence, the same findings. */
export const check = (evidence: Evidence): Finding[] => RULES.map((rule) => rule(evidence));
