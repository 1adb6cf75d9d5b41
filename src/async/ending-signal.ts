/**
 * A signal that aborts with another one, or at an end. It is made when it is first read, because it costs as much as a
 * field of local data, which needs none.
 */
export class EndingSignal {
  readonly #parent: AbortSignal
  #end: AbortController | null = null
  #signal: AbortSignal | null = null
  #hasEnded = false

  constructor(parent: AbortSignal) {
    this.#parent = parent
  }

  get(): AbortSignal {
    if (this.#signal) return this.#signal
    this.#end = new AbortController()
    if (this.#hasEnded) this.#end.abort(endReason)
    return (this.#signal = AbortSignal.any([this.#parent, this.#end.signal]))
  }

  end(): void {
    this.#hasEnded = true
    this.#end?.abort(endReason)
  }
}

/** One reason for all: a reason for each would cost more. */
const endReason = new DOMException('The answer is complete.', 'AbortError')
