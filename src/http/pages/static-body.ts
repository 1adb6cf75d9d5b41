import { gzipSync, zstdCompressSync } from 'bun'

/** A prebuilt document: its bytes, uncompressed and compressed, each with a strong ETag. */
export type StaticBody = Record<'identity' | 'gzip' | 'zstd', { bytes: Uint8Array<ArrayBuffer>; etag: string }>

/** Serializes and compresses a document. */
export function createStaticBody(document: unknown): StaticBody {
  const bytes = new TextEncoder().encode(JSON.stringify(document))
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, 32)
  const variant = (encoded: Uint8Array, suffix: string) => ({
    bytes: new Uint8Array(encoded),
    etag: `"${hash}${suffix}"`,
  })
  return {
    identity: variant(bytes, ''),
    gzip: variant(gzipSync(bytes), '-gzip'),
    zstd: variant(zstdCompressSync(bytes), '-zstd'),
  }
}

/** Returns the best encoding for the client, or 304 when its ETag matches any of them. */
export function staticResponse(document: StaticBody, { headers }: Request, type = 'application/json'): Response {
  const encoding = negotiateEncoding(headers.get('accept-encoding') ?? '')
  const { bytes, etag } = document[encoding]
  const common = { etag, vary: 'accept-encoding', 'cache-control': 'public, max-age=3600, must-revalidate' }
  const etags = Object.values(document).map((variant) => variant.etag)
  if (hasEtag(headers, etags)) return new Response(null, { status: 304, headers: common })
  return new Response(bytes, {
    headers: {
      ...common,
      'content-type': type,
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    },
  })
}

/** Returns a document that can change at any time with its ETag, or 304 when the client has it. */
export function taggedResponse(document: unknown, { headers }: Request): Response {
  const text = JSON.stringify(document)
  const etag = `"${new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 32)}"`
  const common = { etag, 'cache-control': 'no-cache' }
  if (hasEtag(headers, [etag])) return new Response(null, { status: 304, headers: common })
  return new Response(text, { headers: { ...common, 'content-type': 'application/json' } })
}

/** Whether the client has the document of one of these ETags. A proxy that compresses makes an ETag weak. */
export function hasEtag(headers: Headers, etags: readonly string[]): boolean {
  const clientEtags = (headers.get('if-none-match') ?? '').split(',').map((it) => it.trim().replace(/^W\//, ''))
  return clientEtags.some((it) => it === '*' || etags.includes(it))
}

/** Returns the smallest encoding that the client accepts (RFC 9110, 12.5.3). `q=0` excludes an encoding. */
export function negotiateEncoding(acceptEncoding: string): keyof StaticBody {
  const accepted = acceptedValues(acceptEncoding)
  return (['zstd', 'gzip'] as const).find((it) => accepted.includes(it)) ?? 'identity'
}

/** The values of a header such as Accept or Accept-Encoding, the most wanted first. `q=0` excludes a value. */
export function acceptedValues(header: string): string[] {
  const weighted = header.split(',').map((item) => {
    const [value = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    return { value, weight: Number(parameters.find((it) => it.startsWith('q='))?.slice('q='.length) ?? 1) }
  })
  return weighted
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ value }) => value)
}
