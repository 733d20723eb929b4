import { cachesAreWhole } from './caches.ts';
import type { Evidence, Rule, RuleResult } from './evidence.ts';
import { foreignPodsDoNothing } from './foreign.ts';
import {
  hooksRunLast,
  hooksRunOnce,
  notificationsAreSent,
  servicesLiveWithBuilds,
} from './hooks-and-services.ts';
import {
  attemptsAreLostToFaults,
  buildsEnd,
  endsStay,
  nothingWaits,
  outcomesAreExplained,
} from './outcomes.ts';
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
  outcomesAreExplained,
  attemptsAreLostToFaults,
  podsLiveAlone,
  stepsRunOnce,
  greenBuildsRan,
  hooksRunOnce,
  hooksRunLast,
  servicesLiveWithBuilds,
  notificationsAreSent,
  cachesAreWhole,
  putsRunOnce,
  putsAreRecorded,
  logsAreWhole,
  shownLogsAreRecorded,
  shownIsRecorded,
  revisionsAreChanges,
  nothingWaits,
  foreignPodsDoNothing,
];

/** Checks every rule against the evidence. Pure: the same evidence gives the same findings. */
export const checkEvidence = (evidence: Evidence): RuleResult[] => RULES.map((rule) => rule(evidence));
