import type { PipelineName } from '#flows/names.ts';
import type { AuditedAct } from '#flows/people/ports.ts';

/*
 * Kubernetes objects cannot be renamed, so a rename creates a new Pipeline object that takes over the
 * pipeline's row (see follow-rename.ts).
 */

/** The annotation of the new object: the object whose pipeline it takes over. */
export interface RenamedFrom {
  name: string;
  uid: string;
  /** A secret that proves that the API requested the rename, so a manifest cannot request one. */
  key: string;
}

/** A Pipeline object that takes over the pipeline of another one. */
export interface Renaming extends PipelineName {
  namespace: string;
  uid: string;
  renamedFrom: RenamedFrom;
}

export type RenameAnswer =
  | { answer: 'requested'; key: string }
  /** That object has no pipeline. */
  | { answer: 'unknown' }
  | { answer: 'taken' }
  /** A deleted pipeline has its history under that name. */
  | { answer: 'history' }
  | { answer: 'busy'; builds: number };

/** Renames as the API requests them. */
export interface RenameRequests {
  /**
   * Records the new name for the pipeline of this object. If that name is requested already, returns the same
   * key. If another name is requested, replaces that request.
   */
  requestRename(request: PipelineName & { uid: string; to: string }, act: AuditedAct): Promise<RenameAnswer>;
}

/** Renames as the operator carries them out. */
export interface RenameStore {
  /**
   * The new name of the pipeline that belonged to this object before a rename, and the number of its open
   * check runs. Undefined: the pipeline of this object was not renamed.
   */
  renamedTo(uid: string): Promise<{ pipeline: string; runningChecks: number } | undefined>;
  /**
   * `requested`: not done yet. `done`: the pipeline has the new name. `own`: not requested, but a pipeline of
   * this name exists, so the annotation is ignored. `not-requested`: not requested, and no pipeline has this
   * name.
   */
  renameState(renaming: Renaming): Promise<'requested' | 'done' | 'own' | 'not-requested'>;
  /**
   * Gives the pipeline's row, and everything that belongs to it, the new name and object, and writes the
   * audit entry. At that moment no build runs with the old name, and none starts with it.
   */
  completeRename(
    renaming: Renaming,
    at: Date,
  ): Promise<
    | { answer: 'done'; id: number }
    | { answer: 'busy'; builds: number }
    /** Another pipeline of the team has that name. */
    | { answer: 'taken' }
    /** A deleted pipeline has its history under that name. */
    | { answer: 'history' }
    | { answer: 'not-requested' }
  >;
}
