import { UpstreamError } from '../model/error.ts'

/** The supported encodings. */
type ContentEncoding = 'gzip' | 'identity'

/**
 * Returns the Accept-Encoding of a call. Gzip is the only supported compression because its decoder needs 32 kB of
 * memory. A br decoder needs up to 16 MB and a zstd decoder up to 128 MB per response. Range requests use identity:
 * part of a gzip file cannot be decompressed. /
 */
export function acceptEncodingFor(headers: Record<string, string>): ContentEncoding {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'range') ? 'identity' : 'gzip'
}

/**
 * Returns the encoding of a body. Throws `bad_response` for an unsupported encoding, and for several encodings on one
 * body.
 */
export function contentEncodingOf(headers: Headers, host: string): ContentEncoding {
  const value = headers.get('content-encoding') ?? ''
  const names = value
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (names.length === 0) return 'identity'
  if (names.length === 1 && (names[0] === 'gzip' || names[0] === 'x-gzip')) return 'gzip'
  throw encodingError(value, host)
}

/** Throws `bad_response` if the body has any encoding. For calls that request identity. */
export function requireIdentity(headers: Headers, host: string): void {
  if (contentEncodingOf(headers, host) !== 'identity') throw encodingError('gzip', host)
}

function encodingError(encoding: string, host: string): UpstreamError {
  return new UpstreamError(
    'bad_response',
    `${host} returned the content encoding ${JSON.stringify(encoding.slice(0, 100))}, which was not requested.`,
  )
}
