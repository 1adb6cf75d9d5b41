import type { Log } from '../log.ts'
import { ApiError, ValidationError } from '../model/error.ts'
import { storageErrorFor, isTransientSqliteError } from '../store/sqlite-errors.ts'

/** An answer that refuses: status, body and the headers that go with it. */
export type ErrorResponse = { status: number; body: { detail: unknown }; headers: Record<string, string> }

/** The one place where an error becomes a response. What is not ours to name is logged whole, with the id of the request, and answered in one sentence. */
export function errorResponseOf(error: unknown, request_id: string, log: Log): ErrorResponse {
  if (error instanceof ValidationError) return { status: 422, body: { detail: error.violations }, headers: {} }
  if (error instanceof ApiError)
    return { status: error.status, body: { detail: error.detail }, headers: headersOf(error) }
  if (isTransientSqliteError(error)) return errorResponseOf(storageErrorFor(error), request_id, log)
  log.error('request_error', { request_id, error })
  const internalError = new ApiError(
    'internal_error',
    'The service failed in a way it should not have. The fault is logged.',
  )
  return { status: internalError.status, body: { detail: internalError.detail }, headers: {} }
}

function headersOf({ code, status, retryable, context }: ApiError): Record<string, string> {
  const headers: Record<string, string> = {}
  if (retryable)
    headers['retry-after'] = typeof context.retry_after_s === 'number' ? String(context.retry_after_s) : '1'
  if (status === 401)
    headers['www-authenticate'] =
      code === 'token_missing' ? 'Bearer realm="fieldstone"' : 'Bearer realm="fieldstone", error="invalid_token"'
  if (status === 403) headers['www-authenticate'] = 'Bearer realm="fieldstone"'
  if (code === 'insufficient_scope')
    headers['www-authenticate'] =
      `Bearer realm="fieldstone", error="insufficient_scope", scope="${String(context.required)}"`
  if (code === 'method_not_allowed') headers.allow = String(context.allow)
  if (code === 'range_not_satisfiable') headers['content-range'] = `bytes */${String(context.bytes)}`
  return headers
}
