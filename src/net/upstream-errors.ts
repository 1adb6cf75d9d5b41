import { UpstreamError, type UpstreamCode } from '../model/error.ts'
import { hostAbortError } from './host-abort.ts'

/** The cause of the error for a body that is not valid gzip, or is cut off. */
export const invalidGzip = 'InvalidGzip'

/**
 * What Bun's fetch, its body or a look-up of a name threw, as the fault of the host; a signal that was given up goes before.
 * The error itself is not kept as the cause, only its code: Bun puts the whole URL into its message, with the key.
 */
export function toUpstreamError(error: unknown, host: string, signal: AbortSignal): Error {
  if (error instanceof UpstreamError) return error
  if (signal.aborted) return hostAbortError(signal, host)
  const errorCode = errorCodeOf(error)
  if (isTlsErrorCode(errorCode))
    return new UpstreamError('tls_error', `${host} has no certificate that can be trusted (${errorCode}).`, {
      cause: errorCode,
    })
  if (malformedResponseCodes.has(errorCode))
    return new UpstreamError(
      'bad_response',
      `${host} answered with something that is no whole HTTP message (${errorCode}).`,
      { cause: errorCode },
    )
  return new UpstreamError('connection_failed', `The connection to ${host} failed or was cut short (${errorCode}).`, {
    cause: errorCode,
  })
}

/** The fault that a status means. 2xx and the statuses that the caller reads itself never come here. */
export function statusError(status: number, host: string): UpstreamError {
  return new UpstreamError(upstreamCodeOfStatus(status), `${host} answered ${status} where 200 was expected.`)
}

/** Whether the way there failed, so that the same question may do better a moment later. A page in the place of data would be the same page. */
export function isTransportError(error: unknown): boolean {
  if (!(error instanceof UpstreamError)) return false
  return (
    error.code === 'connection_failed' ||
    error.code === 'upstream_5xx' ||
    (error.code === 'bad_response' && malformedResponseCodes.has(String(error.cause)))
  )
}

/** Whether the host is at fault in a way that passes: what the circuit breaker counts. */
export function isHostError(error: unknown): boolean {
  return error instanceof UpstreamError && hostErrorCodes.has(error.code)
}

/** Whether it was refused on this side, before anybody was asked. */
export function isRejectedLocally(error: unknown): boolean {
  return error instanceof UpstreamError && (error.code === 'source_suspended' || error.code === 'fetch_busy')
}

const hostErrorCodes: ReadonlySet<UpstreamCode> = new Set([
  'timeout',
  'connection_failed',
  'upstream_5xx',
  'bad_response',
])

/** The codes Bun 1.4 gives to what is no HTTP and to headers without end, and our own for a body that cannot be decompressed. */
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
