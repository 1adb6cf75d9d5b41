import { ApiError } from '../model/error.ts'

/** The responses that one account can read at the same time: documents and files of runs, and streams of events. */
export const readersPerAccount = 64
const retryAfter_s = 5

/**
 * Limits the responses that one account reads at the same time. A client that stops reading leaves up to 4 MB of its
 * response in the buffers of the operating system, and Bun cannot make these smaller.
 */
export class ReaderSlots {
  readonly #taken = new Map<string, number>()

  /**
   * Takes a slot, and returns the function that frees it. Later calls of that function do nothing.
   * @throws {ApiError} `rate_limited` if the account has no free slot.
   */
  take(account: string): () => void {
    const taken = this.#taken.get(account) ?? 0
    if (taken >= readersPerAccount)
      throw new ApiError(
        'rate_limited',
        `Your account is already reading ${readersPerAccount} documents, files or event streams. Finish or close one of them, then try again.`,
        { policy: 'readers', limit: readersPerAccount, reset_s: retryAfter_s, retry_after_s: retryAfter_s },
      )
    this.#taken.set(account, taken + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      const left = this.#taken.get(account)! - 1
      if (left > 0) this.#taken.set(account, left)
      else this.#taken.delete(account)
    }
  }
}
