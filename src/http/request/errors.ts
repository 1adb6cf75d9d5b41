import type { Log } from '../../log.ts'
import { ApiError, ValidationError } from '../../model/error.ts'
import { isTemporaryStorageError, storageApiError } from '../../store/storage-error.ts'

/** An error response: status, body and headers. */
export type ErrorResponse = { status: number; body: { detail: unknown }; headers: Record<string, string> }

/**
 * Converts every error to a response. An unexpected error is logged with the request id and answered with a generic
 * `internal_error`.
 */
export function errorResponseOf(error: unknown, request_id: string, log: Log): ErrorResponse {
  if (error instanceof ValidationError) return { status: 422, body: { detail: error.violations }, headers: {} }
  if (error instanceof ApiError)
    return { status: error.status, body: { detail: error.detail }, headers: headersOf(error) }
  if (isTemporaryStorageError(error)) return errorResponseOf(storageApiError(error), request_id, log)
  log.error('request_error', { request_id, error })
  const internalError = new ApiError('internal_error', 'The service failed unexpectedly and logged the error.')
  return { status: internalError.status, body: { detail: internalError.detail }, headers: {} }
}

function headersOf({ code, status, retryable, context }: ApiError): Record<string, string> {
  const headers: Record<string, string> = {}
  if (retryable)
    headers['retry-after'] = typeof context.retry_after_s === 'number' ? String(context.retry_after_s) : '1'
  if (status === 401)
    headers['www-authenticate'] =
      code === 'auth_missing' ? 'Bearer realm="fieldstone"' : 'Bearer realm="fieldstone", error="invalid_token"'
  if (status === 403) headers['www-authenticate'] = 'Bearer realm="fieldstone"'
  if (code === 'insufficient_scope' || code === 'auth_method_not_allowed')
    headers['www-authenticate'] =
      `Bearer realm="fieldstone", error="insufficient_scope", scope="${String(context.required)}"`
  // The rest of the body is not read, so the connection cannot be used again.
  if (code === 'request_timeout') headers.connection = 'close'
  if (code === 'method_not_allowed') headers.allow = String(context.allow)
  if (code === 'range_not_satisfiable') headers['content-range'] = `bytes */${String(context.bytes)}`
  return headers
}
