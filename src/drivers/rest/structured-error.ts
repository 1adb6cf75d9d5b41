import { UpstreamError, type UpstreamCode } from '../../model/error.ts'
import { upstreamRejection } from '../driver-errors.ts'
import { isRecord } from '../../model/record.ts'
import { excerptOf } from './reply.ts'

/**
 * Throws if a document is a structured error, even with status 200: `{ error }`, `{ errors }`, or `{ code, description
 * }`, or an empty list of features with a count that is not 0.
 */
export function throwStructuredError(document: unknown, host: string): void {
  if (!isRecord(document)) return
  const error = [document.error, document.errors].find(isError) ?? (isErrorRecord(document) ? document : undefined)
  if (error !== undefined) throw upstreamRejection(upstreamCodeOf(error), host, messageOf(error, document))
  if (isEmptyDespiteCount(document))
    throw new UpstreamError(
      'bad_response',
      `${host} counts ${String(document.numberMatched)} features, but returned an empty list. Try again later.`,
    )
}

function isError(error: unknown): boolean {
  return Array.isArray(error) ? error.length > 0 : Boolean(error)
}

function isEmptyDespiteCount({ numberMatched, features }: Record<string, unknown>): boolean {
  return typeof numberMatched === 'number' && numberMatched > 0 && Array.isArray(features) && features.length === 0
}

function isErrorRecord(document: Record<string, unknown>): boolean {
  return typeof document.code === 'string' && typeof document.description === 'string'
}

function messageOf(error: unknown, { reason }: Record<string, unknown>): string {
  if (error === true && typeof reason === 'string') return excerptOf(reason)
  if (!isRecord(error)) return excerptOf(error)
  return excerptOf([error.code, error.message ?? error.description].map(excerptOf).join(' '))
}

/** The error code. ArcGIS sends an HTTP status number, api.data.gov a name. */
function upstreamCodeOf(error: unknown): UpstreamCode {
  const code = isRecord(error) ? error.code : undefined
  if (code === 429 || code === 'OVER_RATE_LIMIT') return 'rate_limited'
  if (typeof code === 'number' && code >= 500 && code < 600) return 'upstream_5xx'
  return typeof code === 'string' && code.startsWith('API_KEY_') ? 'entitlement_missing' : 'upstream_rejected'
}
