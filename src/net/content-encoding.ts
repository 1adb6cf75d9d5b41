import { UpstreamError } from '../model/error.ts'

/** The encodings that are read. */
type ContentEncoding = 'gzip' | 'identity'

/**
 * The Accept-Encoding of a call. Gzip is the only compression: its decoder takes 32 kB of memory, that of br up to 16 MB and that of zstd up
 * to 128 MB for each answer. Range requests ask for identity: part of a compressed file cannot be decompressed.
 */
export function acceptEncodingFor(headers: Record<string, string>): ContentEncoding {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'range') ? 'identity' : 'gzip'
}

/** The encoding of a body. Throws `bad_response` for any other encoding, and for several applied to one body. */
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

/** Throws `bad_response` for a body with any encoding. For calls that ask for identity. */
export function requireIdentity(headers: Headers, host: string): void {
  if (contentEncodingOf(headers, host) !== 'identity') throw encodingError('gzip', host)
}

function encodingError(encoding: string, host: string): UpstreamError {
  return new UpstreamError(
    'bad_response',
    `${host} answered with the content encoding ${JSON.stringify(encoding.slice(0, 100))}, which was not asked for.`,
  )
}
