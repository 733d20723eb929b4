import type { PipelineName } from '#flows/names.ts';
import type { Act } from '#flows/people/ports.ts';

/*
 * An object in Kubernetes keeps its name, so a pipeline that gets another one gets another object. What a
 * rename needs from the store; the promises of `ports.ts` hold.
 */

/** What the new object says of the one whose pipeline it goes on with. */
export interface RenamedFrom {
  name: string;
  uid: string;
  /** Given to whoever asked, and to nobody else: a manifest cannot know it. */
  key: string;
}

/** A Pipeline object that is to have the pipeline of another one. */
export interface Renaming extends PipelineName {
  namespace: string;
  uid: string;
  renamedFrom: RenamedFrom;
}

export type RenameAsked =
  | { answer: 'asked'; key: string }
  /** That object has no pipeline yet, or no more. */
  | { answer: 'unknown' }
  | { answer: 'taken' }
  /** A pipeline that was deleted has its history under that name. */
  | { answer: 'history' }
  | { answer: 'busy'; builds: number };

/** For whoever changes pipelines in the name of people. */
export interface RenameRequests {
  /**
   * Notes that the pipeline of this object is to have that name. Asked again with the same name, it has the
   * same key; with another one, only that holds.
   */
  askRename(wanted: PipelineName & { uid: string; to: string }, act: Act): Promise<RenameAsked>;
}

/** For whoever carries out manifests. */
export interface RenameStore {
  /** Under which name the pipeline of this object goes on without it, and how many checks run. */
  renamedTo(uid: string): Promise<{ pipeline: string; runningChecks: number } | undefined>;
  /** `own`: nobody asks for it, and there is a pipeline of the new name. */
  renameState(renaming: Renaming): Promise<'asked' | 'done' | 'own' | 'unasked'>;
  /**
   * Gives the row the new name and object, with all that hangs on it, and writes the line of the audit log.
   * No build that has had its turn is under way then, and none gets one with the old name.
   */
  takeName(
    renaming: Renaming,
    at: Date,
  ): Promise<
    | { answer: 'done'; id: number }
    | { answer: 'busy'; builds: number }
    | { answer: 'history' }
    | { answer: 'unasked' }
  >;
}
