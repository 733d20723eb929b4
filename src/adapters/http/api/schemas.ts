import { Type, type TProperties, type TSchema } from 'typebox';

/** Names that a path may contain. The language of pipelines decides which names are valid. */
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^/\\u0000-\\u001f]+$' });

export const TeamParams = Type.Object({ team: Name });
export const PipelineParams = Type.Object({ team: Name, pipeline: Name });
export const JobParams = Type.Object({ team: Name, pipeline: Name, job: Name });
export const ResourceParams = Type.Object({ team: Name, pipeline: Name, resource: Name });
export const VersionParams = Type.Object({
  ...ResourceParams.properties,
  version: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

/** The path of a build's routes. Its parameters are BuildParams. */
export const BUILD_PATH = '/teams/:team/pipelines/:pipeline/jobs/:job/builds/:build';

export const BuildParams = Type.Object({
  team: Name,
  pipeline: Name,
  job: Name,
  build: Type.String({ pattern: '^[1-9][0-9]{0,9}(\\.[1-9][0-9]{0,5})?$' }),
});

const Cursor = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
export const PageQuery = {
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  before: Type.Optional(Cursor),
  after: Type.Optional(Cursor),
};

/** A time in RFC 3339. */
export const Time = Type.String();
const Status = ['pending', 'waiting', 'started', 'succeeded', 'failed', 'cancelled', 'warning'] as const;
export const BuildStatusName = Type.Enum([...Status]);
/** `outcome`: how the newest ended build of a job ended. `doing`: what its unfinished builds do. */
export const JobStates = {
  outcome: Type.Optional(Type.Enum(['succeeded', 'failed', 'cancelled', 'warning'])),
  doing: Type.Optional(Type.Enum(['pending', 'waiting', 'started'])),
};
export const Strings = Type.Record(Type.String(), Type.String());

/** A response contains only the fields of its schema, so a field that a store adds does not leak. */
export function answer<P extends TProperties>(properties: P) {
  return { 200: Type.Object({ data: Type.Object(properties) }) };
}

export function answerList<T extends TSchema>(row: T) {
  return { 200: Type.Object({ data: Type.Array(row) }) };
}

export function answerPage<T extends TSchema>(row: T) {
  return { 200: Type.Object({ data: Type.Array(row), has_more: Type.Boolean() }) };
}
