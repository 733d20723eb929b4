import { defined } from '#defined';
import type { JsonObject } from '#domain/language/json-value.ts';
import type { Resource } from '#domain/pipeline/pipeline.ts';
import type { GetStep, PutStep } from '#domain/pipeline/steps.ts';
import type { BuildName, PlanCommand, ProtocolCall } from './plan.ts';

/*
 * Operations of resource types of Concourse: `/opt/resource/check`, `in <directory>` and `out <directory>`,
 * with JSON on standard input.
 */

/** What the programs need to know of the build that they run in. */
export interface ProtocolBuild {
  build: BuildName;
  /** Address of the installation, without a slash at its end. */
  externalUrl?: string;
  workdir: string;
}

/** The fields of an operation that differ from those of a command of Millrace. */
export interface ProtocolPlan {
  command: PlanCommand;
  call: ProtocolCall;
  env: Record<string, string>;
}

const inputOf = (input: Record<string, unknown>): string => JSON.stringify(input);
const sourceOf = ({ source = {} }: Resource): JsonObject => source;

/** The call of `check`. `last` undefined: this is the first check. */
export function protocolCheck(resource: Resource, last: Record<string, string> | undefined): ProtocolCall {
  return { input: inputOf({ source: sourceOf(resource), ...defined({ version: last }) }) };
}

/** The call of `in`, which fills a directory with the name of the get. */
export function protocolGet(
  command: PlanCommand,
  { resource, get, version }: { resource: Resource; get: GetStep; version: Record<string, string> },
  build: ProtocolBuild,
): ProtocolPlan {
  const folder = `${build.workdir}/${folderName(get.name)}`;
  const params = get.protocolParams ?? {};
  return {
    command: withArgument(command, folder),
    call: { input: inputOf({ source: sourceOf(resource), version, params }), folder },
    env: { ...get.env, ...protocolEnvironment(build) },
  };
}

/** The call of `out`, which sees all inputs as directories in the work directory. */
export function protocolPut(
  command: PlanCommand,
  { resource, put }: { resource: Resource; put: PutStep },
  build: ProtocolBuild,
): ProtocolPlan {
  const params = put.protocolParams ?? {};
  return {
    command: withArgument(command, build.workdir),
    call: { input: inputOf({ source: sourceOf(resource), params }) },
    env: { ...put.env, ...protocolEnvironment(build) },
  };
}

const withArgument = (command: PlanCommand, argument: string): PlanCommand => ({
  ...command,
  argv: [...command.argv, argument],
});

/** The name of a get as the name of a directory. A get of a group has brackets and quotes in its name. */
function folderName(name: string): string {
  const safe = encodeURIComponent(name.toWellFormed()).replaceAll('%', '-');
  return safe.replaceAll('.', '') === '' ? `_${safe}` : safe;
}

function protocolEnvironment({ build, externalUrl }: ProtocolBuild): Record<string, string> {
  const { id, team, pipeline, job, number } = build;
  const page = `/teams/${team}/pipelines/${pipeline}/jobs/${job}/builds/${number}`;
  return withoutEmpty({
    BUILD_ID: id,
    BUILD_NAME: number,
    BUILD_JOB_NAME: job,
    BUILD_PIPELINE_NAME: pipeline,
    BUILD_TEAM_NAME: team,
    ATC_EXTERNAL_URL: externalUrl ?? '',
    BUILD_URL: externalUrl === undefined ? '' : `${externalUrl}${page}`,
  });
}

const withoutEmpty = (variables: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
