/** Deletes expired runs in batches, so that other writers wait only briefly. */
export type RunSweep = {
  /** Returns the numbers of the expired runs that may be deleted: an earlier sweep found them expired, too. */
  confirmExpired(now: number): Promise<number[]>
  /** Deletes a batch of a run's rows. Resolves with false if there were none left. */
  removeBatch(run: number): Promise<boolean>
  /** Deletes the idempotency keys that were used before a time. */
  removeKeys(before: number): Promise<void>
}
