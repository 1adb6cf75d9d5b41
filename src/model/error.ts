/** An error that the caller can act on. http/errors.ts turns it into a response; in a batch it becomes an entry. */
export class ApiError extends Error {
  readonly code: ApiCode
  readonly context: Record<string, unknown>

  constructor(code: ApiCode, message: string, context: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.context = context
  }

  get status(): number {
    return apiCodes[this.code].status
  }
  get retryable(): boolean {
    return apiCodes[this.code].retryable
  }

  get detail(): ErrorDetail {
    return {
      error: this.code,
      message: this.message,
      retryable: this.retryable,
      documentation_url: `/guide/errors#${this.code}`,
      ...this.context,
    }
  }
}

/** The error object of the API: its code, its message, and the context members of that code. */
export type ErrorDetail = {
  error: ApiCode
  message: string
  retryable: boolean
  documentation_url: string
  [contextMember: string]: unknown
}

/** A source did not answer, or answered with an error. Caught once per field, in fetch/field-plan.ts. */
export class UpstreamError extends Error {
  readonly code: UpstreamCode
  /** What the publisher's data lacks, with `schema_changed`: names of attributes, columns or layers, or paths. */
  readonly missing: readonly string[]

  constructor(code: UpstreamCode, message: string, options: ErrorOptions & { missing?: readonly string[] } = {}) {
    super(message, options)
    this.code = code
    this.missing = options.missing ?? []
  }

  get retryable(): boolean {
    return upstreamCodes[this.code].retryable
  }
}

/** A malformed request (422): all its violations at once, in the format of FastAPI. */
export class ValidationError extends Error {
  readonly violations: Violation[]

  constructor(violations: Violation[]) {
    super('The request is malformed.')
    this.violations = violations
  }
}

/**
 * One violation. `type` is a Pydantic v2 error type, `loc` starts with `body` or `query`, `input` is the rejected
 * value.
 */
export type Violation = { type: string; loc: (string | number)[]; msg: string; input: unknown }

/** Returns the error of one member of a request. `msg` has no full stop. */
export function validationErrorAt(loc: Violation['loc'], msg: string): ValidationError {
  return new ValidationError([{ type: 'value_error', loc, msg, input: null }])
}

const retryableStatus = (status: number) => ({ status, retryable: true })
const permanentStatus = (status: number) => ({ status, retryable: false })

/** Every error code of the API, with its HTTP status and whether a retry may succeed. Add new codes here. */
export const apiCodes = {
  coord_out_of_bounds: permanentStatus(400),
  invalid_locator: permanentStatus(422),
  no_fields_requested: permanentStatus(400),
  fields_unknown: permanentStatus(400),
  preset_unknown: permanentStatus(400),
  fields_too_many: permanentStatus(400),
  address_too_coarse: permanentStatus(404),
  address_outside_us: permanentStatus(400),
  address_form_unsupported: permanentStatus(422),
  address_ambiguous: permanentStatus(400),
  address_not_found: permanentStatus(404),
  resolve_coord_bounds: permanentStatus(422),
  resolve_invalid_input: permanentStatus(422),
  geocode_unavailable: retryableStatus(503),
  geocode_timeout: retryableStatus(504),
  resolve_timeout: retryableStatus(504),
  geocoder_not_configured: permanentStatus(501),
  parcel_not_found: permanentStatus(404),
  parcel_unavailable: retryableStatus(503),
  parcels_not_configured: permanentStatus(501),
  fetch_busy: retryableStatus(503),
  auth_missing: permanentStatus(401),
  auth_malformed: permanentStatus(401),
  auth_invalid: permanentStatus(401),
  auth_expired: permanentStatus(401),
  auth_revoked: permanentStatus(401),
  insufficient_scope: permanentStatus(403),
  auth_method_not_allowed: permanentStatus(403),
  origin_not_allowed: permanentStatus(403),
  token_not_found: permanentStatus(404),
  user_not_found: permanentStatus(404),
  user_exists: permanentStatus(409),
  share_not_found: permanentStatus(404),
  share_limit_reached: permanentStatus(409),
  pin_not_found: permanentStatus(404),
  pin_limit_reached: permanentStatus(409),
  rate_limited: retryableStatus(429),
  quota_exceeded: retryableStatus(429),
  host_not_allowed: permanentStatus(421),
  bad_request: permanentStatus(400),
  body_too_large: permanentStatus(413),
  request_timeout: retryableStatus(408),
  unsupported_media_type: permanentStatus(415),
  method_not_allowed: permanentStatus(405),
  not_found: permanentStatus(404),
  run_kind_unknown: permanentStatus(400),
  run_not_found: permanentStatus(404),
  run_not_ready: permanentStatus(409),
  run_failed: permanentStatus(409),
  run_not_cancellable: permanentStatus(409),
  run_not_retryable: permanentStatus(409),
  idempotency_key_reused: permanentStatus(409),
  range_not_satisfiable: permanentStatus(416),
  unknown_set: permanentStatus(422),
  proximity_data_unavailable: retryableStatus(503),
  mode_unsupported: permanentStatus(422),
  run_cancelled: retryableStatus(409),
  row_invalid: permanentStatus(422),
  basemap_unavailable: retryableStatus(503),
  pack_fetch_active: permanentStatus(409),
  pack_fetch_not_active: permanentStatus(409),
  pack_fetch_unavailable: permanentStatus(409),
  pack_fetch_failed: retryableStatus(503),
  ask_timeout: retryableStatus(504),
  ask_unavailable: retryableStatus(503),
  storage_full: retryableStatus(503),
  storage_read_only: retryableStatus(503),
  storage_unavailable: retryableStatus(503),
  starting_up: retryableStatus(503),
  shutting_down: retryableStatus(503),
  worker_lost: retryableStatus(503),
  stored_data_damaged: permanentStatus(500),
  internal_error: permanentStatus(500),
} as const satisfies Record<string, { status: number; retryable: boolean }>
/** One error code of the API. */
export type ApiCode = keyof typeof apiCodes

const permanent = { retryable: false }
const transient = { retryable: true }

/** Every error code of a field, and whether a retry may succeed. Add new codes here. */
export const upstreamCodes = {
  timeout: transient,
  connection_failed: transient,
  upstream_5xx: transient,
  bad_response: transient,
  rate_limited: transient,
  quota_exhausted: transient,
  source_suspended: transient,
  fetch_busy: transient,
  worker_lost: transient,
  upstream_rejected: permanent,
  entitlement_missing: permanent,
  unsupported_request: permanent,
  bad_value: permanent,
  out_of_range: permanent,
  schema_changed: permanent,
  too_large: permanent,
  bad_redirect: permanent,
  tls_error: permanent,
  offline_no_data: permanent,
  no_local_data: permanent,
  key_missing: permanent,
} as const satisfies Record<string, { retryable: boolean }>
/** One error code of a field. */
export type UpstreamCode = keyof typeof upstreamCodes

const namesShown = 30

/**
 * `schema_changed`: the publisher's data does not have what the field reads. `present`: the names that it has, if they
 * are known.
 */
export function schemaChangedError(missing: readonly string[], present: readonly string[]): UpstreamError {
  const names = present.slice(0, namesShown).join(', ')
  return new UpstreamError(
    'schema_changed',
    `The source no longer has ${missing.join(', ')}.${names === '' ? '' : ` It has ${names}.`} Report this to the operator of this server.`,
    { missing },
  )
}

/** Whether this process, or the machine, may not open more files. */
export function isOutOfFiles(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')
}
