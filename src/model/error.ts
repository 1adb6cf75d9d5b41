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

  get detail(): ErrorDetail { return { error: this.code, message: this.message, retryable: this.retryable, ...this.context } }
}

/** The error object of the API, with what belongs to its code. */
export type ErrorDetail = { error: ApiCode; message: string; retryable: boolean; [about: string]: unknown }

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
  address_too_vague: never(400),
  address_too_coarse: never(400),
  address_outside_us: never(400),
  address_type_unsupported: never(400),
  address_ambiguous: never(400),
  address_not_found: never(404),
  coordinates_swapped: never(400),
  geocode_unavailable: again(503),
  fetch_busy: again(503),
  token_missing: never(401),
  token_invalid: never(401),
  token_expired: never(401),
  token_revoked: never(401),
  insufficient_scope: never(403),
  origin_not_allowed: never(403),
  token_not_found: never(404),
  user_not_found: never(404),
  user_exists: never(409),
  rate_limited: again(429),
  quota_exceeded: again(429),
  host_not_allowed: never(421),
  bad_request: never(400),
  body_too_large: never(413),
  unsupported_media_type: never(415),
  method_not_allowed: never(405),
  not_found: never(404),
  run_kind_unknown: never(400),
  run_not_found: never(404),
  run_not_finished: never(409),
  run_not_cancellable: never(409),
  run_not_retryable: never(409),
  idempotency_key_reused: never(409),
  range_not_satisfiable: never(416),
  run_cancelled: again(409),
  row_invalid: never(422),
  ask_timeout: again(504),
  ask_unavailable: again(503),
  storage_full: again(503),
  storage_read_only: again(503),
  shutting_down: again(503),
  worker_lost: again(503),
  internal_error: never(500),
} as const satisfies Record<string, { status: number; retryable: boolean }>
/** One error code of the API. */
export type ApiCode = keyof typeof apiCodes

const lasting = { retryable: false }
const passing = { retryable: true }

/** Every way a field can fail, and whether asking again may help. A new code is a new line here. */
const upstreamCodes = {
  timeout: passing,
  connection_failed: passing,
  upstream_5xx: passing,
  bad_response: passing,
  rate_limited: passing,
  quota_exhausted: passing,
  source_suspended: passing,
  fetch_busy: passing,
  worker_lost: passing,
  upstream_rejected: lasting,
  entitlement_missing: lasting,
  unsupported_request: lasting,
  bad_value: lasting,
  out_of_range: lasting,
  too_large: lasting,
  bad_redirect: lasting,
  tls_error: lasting,
  offline_no_data: lasting,
  key_missing: lasting,
} as const satisfies Record<string, { retryable: boolean }>
/** One way a field can fail. */
export type UpstreamCode = keyof typeof upstreamCodes
