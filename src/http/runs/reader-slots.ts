import { ApiError } from '../../model/error.ts'

/** The responses that one account can read at the same time: documents and files of runs, and streams of events. */
export const readersPerAccount = 64
const retryAfter_s = 5

/**
 * Limits the responses that one account reads at the same time. A client that stops reading leaves up to 4 MB of its
 * response in the buffers of the operating system, and Bun cannot make these smaller.
 */
export class ReaderSlots {
  readonly #usedSlots = new Map<string, number>()

  /**
   * Takes a slot, and returns the function that frees it. Later calls of that function do nothing.
   * @throws {ApiError} `rate_limited` if the account has no free slot.
   */
  take(account: string): () => void {
    const used = this.#usedSlots.get(account) ?? 0
    if (used >= readersPerAccount)
      throw new ApiError(
        'rate_limited',
        `Your account is already reading ${readersPerAccount} documents, files or event streams. Finish or close one of them, then try again.`,
        { policy: 'readers', limit: readersPerAccount, reset_s: retryAfter_s, retry_after_s: retryAfter_s },
      )
    this.#usedSlots.set(account, used + 1)
    let isUsed = true
    return () => {
      if (!isUsed) return
      isUsed = false
      const left = this.#usedSlots.get(account)! - 1
      if (left > 0) this.#usedSlots.set(account, left)
      else this.#usedSlots.delete(account)
    }
  }
}
