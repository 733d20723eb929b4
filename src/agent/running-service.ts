import type { PlanService } from '#domain/planning/plan.ts';
import type { CommandEnd } from './run-command.ts';
import type { StepLog } from './step-log.ts';

/** A service that was started. */
export interface RunningService {
  service: PlanService;
  log: StepLog;
  /**
   * The start command if it stays in the foreground. Absent: the start command ends, and the processes that
   * it started stay.
   */
  foreground?: {
    stop: AbortController;
    ended: Promise<CommandEnd>;
    /** Set once the command has ended. */
    end?: CommandEnd;
  };
}
