/** A write by a leader whose epoch is no longer the newest is refused with `EpochOver`. */
export interface LeaderStore {
  takeEpoch(holder: string): Promise<number>;
  isCurrent(epoch: number): Promise<boolean>;
}
