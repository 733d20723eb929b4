/**
 * Most writes of a leader carry its epoch. They are refused with `EpochOver` once the epoch is not the
 * newest.
 */
export interface LeaderStore {
  /** Begins a new epoch for this process, which ends all earlier ones. */
  takeEpoch(holder: string): Promise<number>;
  isCurrent(epoch: number): Promise<boolean>;
}
