/** A model failed. Caught where the built-in takes over; `reason` is shown to callers. */
export class ModelError extends Error {
  readonly reason: string

  constructor(reason: string, options?: ErrorOptions) {
    super(`The model provider did not answer: ${reason}.`, options)
    this.reason = reason
  }
}
