import type { Listed, Page } from '#flows/page.ts';

/** All resources `trigger.<name>` of a team's pipelines. An event becomes a version of each of them. */
export interface StreamName {
  team: string;
  /** The name of the resource without its type. */
  trigger: string;
}

export interface TriggerStream {
  trigger: string;
  /** Pipelines that declare the resource. */
  pipelines: string[];
  newest?: EmittedEvent;
}

export interface EmittedEvent {
  id: number;
  version: Record<string, string>;
  at: Date;
}

export interface TriggerStreams {
  /** In the order of their names; undefined: no such team. */
  streams(team: string): Promise<TriggerStream[] | undefined>;
  /** Newest first; undefined: no pipeline of the team declares the trigger. */
  events(stream: StreamName, page: Page): Promise<Listed<EmittedEvent> | undefined>;
  /**
   * Records the version for each resource of the stream. Returns the pipelines; undefined: no pipeline of the
   * team declares the trigger.
   */
  emit(stream: StreamName, event: Omit<EmittedEvent, 'id'>): Promise<string[] | undefined>;
}
