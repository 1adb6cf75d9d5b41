/** A file that cannot be served, with the sentence that is shown to the operator: what was expected, and what was found. `retryable`: it may be good soon, although it stays as it is. */
export class PackError extends Error {
  readonly retryable: boolean

  constructor(message: string, { retryable = false, ...options }: ErrorOptions & { retryable?: boolean } = {}) {
    super(message, options)
    this.retryable = retryable
  }
}
