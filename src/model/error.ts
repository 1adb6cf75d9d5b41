/** A refusal the caller can act on. Thrown anywhere; answered once, in http/errors.ts (or as a batch entry, in fetch/batch.ts). */
export class ApiError extends Error {
  readonly code: ApiCode
  readonly context: Record<string, unknown>

  constructor(code: ApiCode, message: string, context: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.context = context
  }

  get status(): number { return apiCodes[this.code].status }
  get retryable(): boolean { return apiCodes[this.code].retryable }

  /** The error object of the API: `{ error, message, retryable, …context }`. */
  get detail() { return { error: this.code, message: this.message, retryable: this.retryable, ...this.context } }
}

/** A source did not answer, or answered with a fault. Caught once per field, in fetch/answer.ts. */
export class UpstreamError extends Error {
  readonly code: UpstreamCode

  constructor(code: UpstreamCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  get retryable(): boolean { return upstreamCodes[this.code].retryable }
}

/** A request that has the wrong form: every violation at once, in the words a FastAPI client knows. */
export class ShapeError extends Error {
  readonly violations: Violation[]

  constructor(violations: Violation[]) {
    super('The request has the wrong form.')
    this.violations = violations
  }
}

/** One violation: `type` by the names of Pydantic v2, `loc` from `body` or `query` down, `input` as it came. */
export type Violation = { type: string; loc: (string | number)[]; msg: string; input: unknown }

const again = (status: number) => ({ status, retryable: true })
const never = (status: number) => ({ status, retryable: false })

/** Every error code of the API, with its HTTP status. A new code is a new line here. */
export const apiCodes = {
  coord_out_of_bounds: never(400),
  location_conflict: never(400),
  no_fields_requested: never(400),
  fields_unknown: never(400),
  preset_unknown: never(400),
  fields_too_many: never(400),
  geocode_unavailable: again(503),
  fetch_busy: again(503),
  token_missing: never(401),
  token_invalid: never(401),
  token_expired: never(401),
  token_revoked: never(401),
  insufficient_scope: never(403),
  host_not_allowed: never(421),
  bad_request: never(400),
  body_too_large: never(413),
  unsupported_media_type: never(415),
  method_not_allowed: never(405),
  not_found: never(404),
  internal_error: never(500),
} as const satisfies Record<string, { status: number; retryable: boolean }>
export type ApiCode = keyof typeof apiCodes

/** Every way a field can fail. A new code is a new line here. */
const upstreamCodes = {
  offline_no_data: { retryable: false },
  key_missing: { retryable: false },
  unsupported_request: { retryable: false },
  out_of_range: { retryable: false },
  bad_value: { retryable: false },
  timeout: { retryable: true },
} as const satisfies Record<string, { retryable: boolean }>
export type UpstreamCode = keyof typeof upstreamCodes
