/** A file that cannot be served, with the sentence that is shown to the operator: what was expected, and what was found. `passing`: it may be good soon, although it stays as it is. */
export class PackRefused extends Error {
  readonly passing: boolean

  constructor(message: string, { passing = false, ...options }: ErrorOptions & { passing?: boolean } = {}) {
    super(message, options)
    this.passing = passing
  }
}
