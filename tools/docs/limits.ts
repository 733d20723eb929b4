import { MAX_UNUSED_REVISIONS } from '#adapters/database/retention/retain-revisions.ts';
import { MAX_CACHED_BYTES } from '#adapters/database/revisions/definitions.ts';
import { MAX_GIVEN_INPUTS, MAX_TRIGGER_BODY } from '#adapters/http/api/job-inputs.ts';
import { MAX_BODY_BYTES } from '#adapters/http/api/pipeline-texts.ts';
import { MAX_WAITING_TRIGGERS, MAX_WAITING_TRIGGERS_PER_ACCOUNT } from '#adapters/http/api/trigger-limits.ts';
import { MAX_RETAINED_WEBHOOK_BYTES } from '#adapters/http/api/webhook-body.ts';
import { STREAM_LIMITS } from '#adapters/http/live/open-streams.ts';
import { MAX_LOG_CHARACTERS } from '#adapters/http/pages/build-page.ts';
import { MAX_FIELD_LENGTH } from '#adapters/http/pages/start-form.ts';
import { PUBLIC_RATE_LIMITS } from '#adapters/http/server/rate-limits.ts';
import { MAX_ENTRYPOINT_BYTES, MAX_MANIFEST_BYTES } from '#adapters/registry/manifest.ts';
import { MAX_TERMINATION_BYTES } from '#domain/build/events.ts';
import { DEFAULT_LOG_BYTES } from '#domain/build/log-limit.ts';
import { MAX_CHECK_BYTES, MAX_CHECK_VERSIONS, VERSION_LIMITS } from '#domain/build/parse-check-output.ts';
import { MAX_PROTOCOL_BYTES, METADATA_LIMITS } from '#domain/build/parse-protocol-output.ts';
import { MAX_EVENT_BYTES } from '#domain/build/rerun-request.ts';
import { CARDS_PER_PAGE } from '#domain/graph/overview-sections.ts';
import { LIMITS } from '#domain/pipeline/limits.ts';
import { CHECK_TIMEOUT_SECONDS } from '#domain/planning/check-deadline.ts';
import { DEFAULT_TIMEOUT_SECONDS } from '#domain/planning/plan-build.ts';
import { MAX_CRON_JOBS } from '#domain/scheduling/check-groups.ts';
import { MAX_BUILDS_PER_DECISION, MAX_VERSIONS_PER_DECISION } from '#domain/scheduling/decision.ts';
import { MAX_PASSED_WAITING, MAX_UNUSED_VERSIONS } from '#domain/scheduling/facts.ts';
import { INITIAL_PACE, MAX_STARTS_PER_NODE } from '#domain/scheduling/pace-starts.ts';
import { AUTOMATIC_PAUSE_ABOVE, MAX_QUEUED_BUILDS } from '#domain/scheduling/queue-limits.ts';
import { MAX_CHECK_WAIT_MS } from '#domain/scheduling/why-not-checked.ts';
import { MAX_LOOK_UPS } from '#flows/builds/look-up-image.ts';
import { MAX_CHECK_PODS } from '#flows/checks/check-slots.ts';
import { MAX_FETCHING_PIPELINES } from '#flows/pipelines/source-turns.ts';
import { MAX_CARDS } from '#flows/views/show-cards.ts';
import { AGENT_LIMITS } from './agent-limits.ts';
import { bytes, characters, count, milliseconds, perSecond, seconds } from './limit-values.ts';
import type { Limit } from './limit.ts';
import { POD_LIMITS } from './pod-limits.ts';
import { SECRET_LIMITS } from './secret-limits.ts';
import { SHELL_LIMITS } from './shell-limits.ts';
import { TEXT_LIMITS } from './text-limits.ts';

/** Limits that users of Millrace can reach. Values are the program's constants, or defaults of the chart. */
export const LIMIT_SECTIONS: Readonly<Record<string, readonly Limit[]>> = {
  Pipelines: [
    ['Length of the text', bytes(LIMITS.bytes), 'diagnostic', '`too-large`'],
    ['Blocks', count(LIMITS.blocks), 'diagnostic', '`too-many-blocks`'],
    ['Depth of nested blocks and expressions', count(LIMITS.depth), 'diagnostic', '`too-deep`'],
    ['Time to read a pipeline', milliseconds(LIMITS.cpuMilliseconds), 'diagnostic', '`time-limit`'],
    [
      'Instances of one `for_each` or `matrix`',
      count(LIMITS.instances),
      'diagnostic',
      '`too-many-instances`',
    ],
    ['Jobs, when all groups are expanded', count(LIMITS.jobs), 'diagnostic', '`too-many-instances`'],
    [
      'Length of the definition, when all groups are expanded',
      bytes(LIMITS.definitionBytes),
      'diagnostic',
      '`too-large`',
    ],
    [
      'Tags of a job or resource; serial groups of a job',
      count(LIMITS.tags),
      'diagnostic',
      'the attribute is named',
    ],
    [
      'Sources to fetch, in total',
      count(LIMITS.sources),
      'diagnostic',
      '`too-large`, before anything is fetched',
    ],
    ['Length of these sources, in total', bytes(LIMITS.sourceBytes), 'diagnostic', '`too-large`'],
    [
      'Time to fetch them',
      milliseconds(LIMITS.sourceMilliseconds),
      'condition',
      'Ready is `SourceUnavailable`; the operator tries again every minute',
    ],
    ['Sources that name one another', count(LIMITS.sourceChain), 'diagnostic', '`source-cycle`'],
    [
      'Pipelines of the installation whose sources are fetched at the same time, one for each team',
      count(MAX_FETCHING_PIPELINES),
      'later',
      'Ready is `WaitingForSources` until it is its turn',
    ],
    [
      'Pipelines of a team (`limits.pipelines`)',
      '500, set by the chart',
      'condition',
      'Ready is `TooManyPipelines`; the operator tries again every minute',
    ],
    [
      'Replaced definitions of a pipeline that no build or check uses',
      count(MAX_UNUSED_REVISIONS),
      'cut',
      'the oldest are removed',
    ],
    ...TEXT_LIMITS,
    [
      'Definitions kept in memory by each process',
      bytes(MAX_CACHED_BYTES),
      'later',
      'the process reads the others from Postgres when it needs them',
    ],
    [
      'Secrets that a secret needs, one after another',
      count(LIMITS.secretChain),
      'diagnostic',
      'the chain is named',
    ],
    [
      'Errors and warnings shown',
      count(LIMITS.diagnostics),
      'cut',
      'the last one says how many more there are',
    ],
  ],
  'Checks and versions': [
    ['Output of a check', bytes(MAX_CHECK_BYTES), 'condition', 'the check fails'],
    ['Time of a check', seconds(CHECK_TIMEOUT_SECONDS), 'condition', 'the check fails'],
    [
      'New versions of one check',
      count(MAX_CHECK_VERSIONS),
      'condition',
      '`VersionsTruncated`; the newest are kept',
    ],
    [
      'Check groups of a pipeline with a running CronJob',
      count(MAX_CRON_JOBS),
      'later',
      'the operator starts the others at the same times, within `limits.runningChecks`; their CronJobs are suspended',
    ],
    ['Fields of a version', count(VERSION_LIMITS.fields), 'condition', 'the check fails'],
    ['Length of a version', characters(VERSION_LIMITS.characters), 'condition', 'the check fails'],
    [
      'Params of a resource, get or put whose type has a `protocol`, as JSON',
      characters(LIMITS.protocolCharacters),
      'diagnostic',
      '`invalid-parameter`',
    ],
    ['Output of `in` or `out`', bytes(MAX_PROTOCOL_BYTES), 'condition', 'the step fails'],
    ['Metadata entries of a get or put', count(METADATA_LIMITS.entries), 'cut', 'the log says so'],
    ['Length of the metadata', characters(METADATA_LIMITS.characters), 'cut', 'the log says so'],
  ],
  Scheduling: [
    [
      'New versions of a `get` that one decision turns into builds',
      count(MAX_UNUSED_VERSIONS),
      'later',
      'the next decision handles the rest',
    ],
    [
      'Passed versions that wait for a `get` with `version = "every"`',
      count(MAX_PASSED_WAITING),
      'cut',
      'older ones are not built',
    ],
    [
      'Automatic builds that one decision creates',
      count(MAX_BUILDS_PER_DECISION),
      'later',
      'the next decision handles the rest',
    ],
    [
      'Inputs of these builds',
      count(MAX_VERSIONS_PER_DECISION),
      'later',
      'the next decision handles the rest',
    ],
    [
      'Running builds of a team (`limits.runningBuilds`)',
      '20, set by the chart',
      'later',
      '`TeamLimit`; the oldest starts first',
    ],
    [
      'Running check Pods of a team (`limits.runningChecks`)',
      '5, set by the chart',
      'later',
      'the oldest starts first',
    ],
    [
      'Check Pods that the operator starts for all teams',
      count(MAX_CHECK_PODS),
      'later',
      'a team that has none still gets one',
    ],
    [
      'Pods of builds that are starting, on each node',
      `${count(INITIAL_PACE.perNode)} at first, at most ${count(MAX_STARTS_PER_NODE)} and one for each core`,
      'later',
      '`StartWindow`; a team that has none starting still gets a slot ([share a ' +
        'cluster](../how-to/share-a-cluster.md))',
    ],
    [
      'Queued builds of a pipeline, for automatic and cascaded builds',
      count(AUTOMATIC_PAUSE_ABOVE),
      'condition',
      '`QueueFull`, until fewer wait',
    ],
    [
      'Queued builds of a pipeline, for builds that people trigger',
      count(MAX_QUEUED_BUILDS),
      'refusal',
      '409 with the reason `QueueFull`',
    ],
    [
      'Time that a trigger with `check=true` waits for checks',
      seconds(MAX_CHECK_WAIT_MS / 1000),
      'later',
      'the build takes the known versions, and says which checks were late',
    ],
    [
      'Triggers of one account that wait for checks at the same time, for each gateway replica',
      count(MAX_WAITING_TRIGGERS_PER_ACCOUNT),
      'refusal',
      '429',
    ],
    ['The same for all accounts, for each gateway replica', count(MAX_WAITING_TRIGGERS), 'refusal', '429'],
    ['Inputs in a trigger', count(MAX_GIVEN_INPUTS), 'refusal', '400'],
    ['Body of a trigger, with its inputs', bytes(MAX_TRIGGER_BODY), 'refusal', '413'],
    ['Value of an input in a form of the console, in characters', count(MAX_FIELD_LENGTH), 'refusal', '400'],
  ],
  'Builds and logs': [
    ...POD_LIMITS,
    [
      'Time of the steps of a build, unless its job or `defaults.timeout` of its Team sets another',
      seconds(DEFAULT_TIMEOUT_SECONDS),
      'condition',
      'the build fails',
    ],
    [
      'Images that one process looks up in registries at the same time',
      count(MAX_LOOK_UPS),
      'later',
      'teams take turns',
    ],
    ['Manifest or configuration of an image', bytes(MAX_MANIFEST_BYTES), 'condition', 'the build fails'],
    ['Entrypoint of an image, with its command', bytes(MAX_ENTRYPOINT_BYTES), 'condition', 'the build fails'],
    [
      'Log of one attempt of a build (`pods.logLimit` of the chart, or less by `limits.buildLogBytes` of the Team)',
      `${bytes(DEFAULT_LOG_BYTES)}, unless you set another`,
      'cut',
      'the log ends with a line that says so',
    ],
    [
      'Stored logs of a team, compressed (`limits.logBytes`)',
      '1Gi, set by the chart',
      'cut',
      'within a minute the operator removes the logs of the oldest builds, and the builds stay; ' +
        '`LogsNearLimit` from 80 % on',
    ],
    ['Part of a log on one page', characters(MAX_LOG_CHARACTERS), 'later', 'the page has a link to the rest'],
    [
      'Ephemeral storage of each container of a Pod, and of its work directory ' +
        '(`pods.storage.limit`, or the resources of the Team)',
      '10Gi, set by the chart',
      'condition',
      'the Pod is evicted, and the build says so',
    ],
    ['Termination message of a Pod', bytes(MAX_TERMINATION_BYTES), 'cut', 'the message is shortened'],
  ],
  'Secrets and identity': SECRET_LIMITS,
  HTTP: [
    ['Body with a pipeline', bytes(MAX_BODY_BYTES), 'refusal', '413'],
    ['Event of a forge that asks for a re-run', bytes(MAX_EVENT_BYTES), 'refusal', '`BodyTooLarge`'],
    [
      'Such events that arrive at the same time, in total',
      bytes(MAX_RETAINED_WEBHOOK_BYTES),
      'refusal',
      '503; deliver it again',
    ],
    ...AGENT_LIMITS,
    [
      'Requests of non-members from one address, in a burst',
      count(PUBLIC_RATE_LIMITS.burst),
      'refusal',
      '429 with `Retry-After`; pictures count separately',
    ],
    ['The same, sustained', perSecond(PUBLIC_RATE_LIMITS.perSecond), 'refusal', '429 with `Retry-After`'],
    [
      'Pipelines in the overview of all teams of a person',
      count(MAX_CARDS),
      'cut',
      'it shows only the names of further teams; open a team to see its pipelines',
    ],
    [
      'Pipelines on one page of an overview',
      count(CARDS_PER_PAGE),
      'later',
      'the page shows more when asked',
    ],
    ['Event streams of an account', count(STREAM_LIMITS.perAccount), 'refusal', '429'],
    ['Event streams of non-members, by address', count(STREAM_LIMITS.publicPerAddress), 'refusal', '429'],
    ['Event streams of an address', count(STREAM_LIMITS.perAddress), 'refusal', '429'],
    ['Event streams of all non-members', count(STREAM_LIMITS.publicTotal), 'refusal', '503'],
    ['Event streams of one replica', count(STREAM_LIMITS.total), 'refusal', '503'],
  ],
  'Shells in running steps': SHELL_LIMITS,
};
