import type { Static, TObject } from 'typebox';
import type { BuildSchema, StepSchema } from '#adapters/http/api/builds.ts';
import type { JobSchema } from '#adapters/http/api/jobs.ts';
import type { Chunk } from '#adapters/http/api/logs.ts';
import type { FindingSchema, PipelineResult } from '#adapters/http/api/pipeline-results.ts';
import type { Changes, DefinitionSchema, PipelineSchema } from '#adapters/http/api/pipelines.ts';
import type { SessionFields } from '#adapters/http/api/sign-in.ts';
import type { User } from '#adapters/http/api/users.ts';

/*
 * What the gateway answers, by the schemas that it answers with. Types alone: nothing of the server is
 * loaded.
 */
export type SessionTold = Static<TObject<typeof SessionFields>>;
export type UserTold = Static<TObject<typeof User>>;
export type PipelineTold = Static<TObject<typeof PipelineSchema>>;
export type DefinitionTold = Static<TObject<typeof DefinitionSchema>>;
/** What an update is asked to change; the rest stays. */
export type ChangesAsked = Static<typeof Changes>;
export type MadeTold = Static<TObject<typeof PipelineResult>>;
export type FindingTold = Static<typeof FindingSchema>;
export type JobTold = Static<TObject<typeof JobSchema>>;
export type BuildTold = Static<TObject<typeof BuildSchema>>;
/** As its page and its stream of events tell it. */
export type BuildDetailTold = BuildTold & { steps: Static<typeof StepSchema>[] };
export type ChunkTold = Static<typeof Chunk>;
