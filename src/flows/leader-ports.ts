/** A write by a leader whose epoch is no longer the newest is refused with `EpochOver`. */
export interface LeaderStore {
  /** Begins a new epoch for this process, which ends all earlier ones. */
  takeEpoch(holder: string): Promise<number>;
  isCurrent(epoch: number): Promise<boolean>;
}
