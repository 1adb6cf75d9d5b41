import { UpstreamError, type UpstreamCode } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import { shown } from './reply.ts'

/** Throws when a document is no answer but a structured error: `{ error }`, `{ errors }`, or nothing but `{ code, description }`, be the status 200. */
export function refuseError(document: unknown, host: string): void {
  if (!isRecord(document)) return
  const error = [document.error, document.errors].find(says) ?? (isCoded(document) ? document : undefined)
  if (error !== undefined) throw new UpstreamError(codeOf(error), `${host} refused: ${wordsOf(error, document)}`)
}

function says(error: unknown): boolean {
  return Array.isArray(error) ? error.length > 0 : Boolean(error)
}

function isCoded(document: Record<string, unknown>): boolean {
  return typeof document.code === 'string' && typeof document.description === 'string'
}

function wordsOf(error: unknown, { reason }: Record<string, unknown>): string {
  if (error === true && typeof reason === 'string') return shown(reason)
  if (!isRecord(error)) return shown(error)
  return shown([error.code, error.message ?? error.description].map(shown).join(' '))
}

/** ArcGIS gives a number as HTTP has it, api.data.gov a name. */
function codeOf(error: unknown): UpstreamCode {
  const code = isRecord(error) ? error.code : undefined
  if (code === 429 || code === 'OVER_RATE_LIMIT') return 'rate_limited'
  if (typeof code === 'number' && code >= 500 && code < 600) return 'upstream_5xx'
  return typeof code === 'string' && code.startsWith('API_KEY_') ? 'entitlement_missing' : 'upstream_rejected'
}
