import type { Static, TObject } from 'typebox';
import type { Build, Step } from '#adapters/http/api/builds.ts';
import type { Job } from '#adapters/http/api/jobs.ts';
import type { Chunk } from '#adapters/http/api/logs.ts';
import type { Finding, Made } from '#adapters/http/api/pipeline-results.ts';
import type { Changes, Definition, Pipeline } from '#adapters/http/api/pipelines.ts';
import type { SessionAnswer } from '#adapters/http/api/sign-in.ts';
import type { User } from '#adapters/http/api/users.ts';

/*
 * What the gateway answers, by the schemas that it answers with. Types alone: nothing of the server is
 * loaded.
 */
export type SessionTold = Static<TObject<typeof SessionAnswer>>;
export type UserTold = Static<TObject<typeof User>>;
export type PipelineTold = Static<TObject<typeof Pipeline>>;
export type DefinitionTold = Static<TObject<typeof Definition>>;
/** What an update is asked to change; the rest stays. */
export type ChangesAsked = Static<typeof Changes>;
export type MadeTold = Static<TObject<typeof Made>>;
export type FindingTold = Static<typeof Finding>;
export type JobTold = Static<TObject<typeof Job>>;
export type BuildTold = Static<TObject<typeof Build>>;
/** As its page and its stream of events tell it. */
export type BuildDetailTold = BuildTold & { steps: Static<typeof Step>[] };
export type ChunkTold = Static<typeof Chunk>;
