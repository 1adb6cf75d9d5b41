import { UpstreamError, type UpstreamCode } from '../model/error.ts'
import { hostAbortError } from './host-abort.ts'

/** The cause of the error for a body that is invalid or truncated gzip. */
export const invalidGzip = 'InvalidGzip'

/**
 * Converts an error of Bun's fetch, of reading a body or of a DNS lookup to an UpstreamError. An aborted signal takes
 * precedence. The cause is only the error code: Bun's message contains the complete URL, which may contain a key. /
 */
export function toUpstreamError(error: unknown, host: string, signal: AbortSignal): Error {
  if (error instanceof UpstreamError) return error
  if (signal.aborted) return hostAbortError(signal, host)
  const errorCode = errorCodeOf(error)
  if (isTlsErrorCode(errorCode))
    return new UpstreamError('tls_error', `The TLS certificate of ${host} is not trusted (${errorCode}).`, {
      cause: errorCode,
    })
  if (malformedResponseCodes.has(errorCode))
    return new UpstreamError('bad_response', `${host} returned an invalid HTTP response (${errorCode}).`, {
      cause: errorCode,
    })
  return new UpstreamError(
    'connection_failed',
    `The connection to ${host} failed or was closed early (${errorCode}).`,
    {
      cause: errorCode,
    },
  )
}

/** The error for a status that is neither 2xx nor accepted by the caller. */
export function statusError(status: number, host: string): UpstreamError {
  return new UpstreamError(upstreamCodeOfStatus(status), `${host} returned status ${status}. Expected 200.`)
}

/**
 * Whether the transport failed, so that a retry may succeed. False for an HTML page instead of data: a retry would
 * return the same page.
 */
export function isTransportError(error: unknown): boolean {
  if (!(error instanceof UpstreamError)) return false
  return (
    error.code === 'connection_failed' ||
    error.code === 'upstream_5xx' ||
    (error.code === 'bad_response' && malformedResponseCodes.has(String(error.cause)))
  )
}

/** Whether the circuit breaker counts the error: the host failed, but may recover. */
export function isHostError(error: unknown): boolean {
  return error instanceof UpstreamError && hostErrorCodes.has(error.code)
}

/** Whether the call was rejected by this service before it was sent. */
export function isRejectedLocally(error: unknown): boolean {
  return error instanceof UpstreamError && (error.code === 'source_suspended' || error.code === 'fetch_busy')
}

const hostErrorCodes: ReadonlySet<UpstreamCode> = new Set([
  'timeout',
  'connection_failed',
  'upstream_5xx',
  'bad_response',
])

/** Bun 1.4's error codes for invalid HTTP and endless headers, and our own code for an invalid compressed body. */
const malformedResponseCodes: ReadonlySet<string> = new Set([
  'Malformed_HTTP_Response',
  'InvalidHTTPResponse',
  'InvalidContentLength',
  'ResponseHeadersTooLarge',
  'UnsupportedTransferEncoding',
  'UnrequestedUpgrade',
  invalidGzip,
])

function isTlsErrorCode(errorCode: string): boolean {
  return /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH)/.test(
    errorCode,
  )
}

function errorCodeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'no code'
}

function upstreamCodeOfStatus(status: number): UpstreamCode {
  if (status >= 500) return 'upstream_5xx'
  if (status === 429) return 'rate_limited'
  return status >= 400 ? 'upstream_rejected' : 'bad_response'
}
