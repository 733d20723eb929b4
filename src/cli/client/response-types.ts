import type { Static, TObject } from 'typebox';
import type { ApiTokenFields, CreatedToken } from '#adapters/http/api/api-tokens.ts';
import type { AuditEntrySchema } from '#adapters/http/api/audit.ts';
import type { BuildDetailFields, BuildSchema } from '#adapters/http/api/builds.ts';
import type { CacheFields } from '#adapters/http/api/caches.ts';
import type { CheckFields } from '#adapters/http/api/checks.ts';
import type { CliLoginBegunFields, CliLoginFinishedFields } from '#adapters/http/api/cli-logins.ts';
import type { JobSchema } from '#adapters/http/api/jobs.ts';
import type { Chunk } from '#adapters/http/api/logs.ts';
import type { ProviderFields } from '#adapters/http/api/oauth-providers.ts';
import type { FindingSchema, PipelineResult } from '#adapters/http/api/pipeline-results.ts';
import type { DefinitionSchema } from '#adapters/http/api/pipeline-texts.ts';
import type { Changes, PipelineSchema } from '#adapters/http/api/pipelines.ts';
import type { ResourceFields, VersionSchema } from '#adapters/http/api/resources.ts';
import type { Secret } from '#adapters/http/api/secrets.ts';
import type { SessionFields } from '#adapters/http/api/sign-in.ts';
import type { TeamFields, TeamMemberFields } from '#adapters/http/api/teams.ts';
import type { EmittedSchema, StreamSchema, TriggerEventSchema } from '#adapters/http/api/triggers.ts';
import type { User } from '#adapters/http/api/users.ts';
import type { WaitingFields } from '#adapters/http/api/waiting.ts';

/*
 * Types of the gateway's responses, from its own schemas. Only types: no code of the server is loaded.
 */
export type SessionJson = Static<TObject<typeof SessionFields>>;
export type CliLoginJson = Static<TObject<typeof CliLoginBegunFields>>;
export type CliLoginFinishedJson = Static<TObject<typeof CliLoginFinishedFields>>;
export type ApiTokenJson = Static<TObject<typeof ApiTokenFields>>;
export type CreatedTokenJson = Static<TObject<typeof CreatedToken>>;
export type UserJson = Static<TObject<typeof User>>;
export type PipelineJson = Static<TObject<typeof PipelineSchema>>;
export type DefinitionJson = Static<TObject<typeof DefinitionSchema>>;
/** Fields that are absent do not change. */
export type PipelineUpdate = Static<typeof Changes>;
export type SavedJson = Static<TObject<typeof PipelineResult>>;
export type CacheJson = Static<typeof CacheFields>;
export type StreamJson = Static<typeof StreamSchema>;
export type TriggerEventJson = Static<typeof TriggerEventSchema>;
export type EmittedJson = Static<typeof EmittedSchema>;
export type SecretJson = Static<typeof Secret>;
export type FindingJson = Static<typeof FindingSchema>;
export type JobJson = Static<TObject<typeof JobSchema>>;
export type BuildJson = Static<TObject<typeof BuildSchema>>;
/** A build as the API and its event stream send it. */
export type BuildDetailJson = Static<TObject<typeof BuildDetailFields>>;
export type ResourceJson = Static<TObject<typeof ResourceFields>>;
export type VersionJson = Static<typeof VersionSchema>;
export type CheckJson = Static<TObject<typeof CheckFields>>;
export type WaitingJson = Static<TObject<typeof WaitingFields>>;
export type ChunkJson = Static<typeof Chunk>;
export type TeamJson = Static<TObject<typeof TeamFields>>;
export type TeamMemberJson = Static<TObject<typeof TeamMemberFields>>;
export type ProviderJson = Static<TObject<typeof ProviderFields>>;
export type AuditEntryJson = Static<typeof AuditEntrySchema>;
