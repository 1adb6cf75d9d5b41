/** A model did not do its part. Caught where the built-in takes over; `reason` is what callers are told. */
export class ModelError extends Error {
  readonly reason: string

  constructor(reason: string, options?: ErrorOptions) {
    super(`The model provider did not answer: ${reason}.`, options)
    this.reason = reason
  }
}
