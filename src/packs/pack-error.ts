/** A file cannot be used. The message tells the operator what was found and what was expected. */
export class PackError extends Error {
  /** The same file may become usable, for example when a lock ends. */
  readonly retryable: boolean

  constructor(message: string, { retryable = false, ...options }: ErrorOptions & { retryable?: boolean } = {}) {
    super(message, options)
    this.retryable = retryable
  }
}
