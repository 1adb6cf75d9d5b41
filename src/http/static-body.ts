import { gzipSync, zstdCompressSync } from 'bun'

/** A document that is made once: its bytes, plain and compressed, each with its strong ETag. */
export type StaticBody = Record<'identity' | 'gzip' | 'zstd', { bytes: Uint8Array<ArrayBuffer>; etag: string }>

/** Makes it, in every form. */
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

/** The form that the caller takes, or 304 when the caller has any of them. */
export function staticResponse(document: StaticBody, { headers }: Request): Response {
  const encoding = negotiateEncoding(headers.get('accept-encoding') ?? '')
  const { bytes, etag } = document[encoding]
  const common = { etag, vary: 'accept-encoding', 'cache-control': 'public, max-age=3600, must-revalidate' }
  const clientEtags = (headers.get('if-none-match') ?? '').split(',').map((it) => it.trim().replace(/^W\//, ''))
  const etags = Object.values(document).map((variant) => variant.etag)
  if (clientEtags.some((it) => it === '*' || etags.includes(it)))
    return new Response(null, { status: 304, headers: common })
  return new Response(bytes, {
    headers: {
      ...common,
      'content-type': 'application/json',
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    },
  })
}

/** The smallest form that the caller takes: RFC 9110, 12.5.3, where `q=0` means "not this one". */
export function negotiateEncoding(acceptEncoding: string): keyof StaticBody {
  const weights = new Map(
    acceptEncoding
      .toLowerCase()
      .split(',')
      .map((it) => {
        const [name = '', weight = 'q=1'] = it.split(';').map((part) => part.trim())
        return [name, Number(weight.slice('q='.length))]
      }),
  )
  return (['zstd', 'gzip'] as const).find((it) => (weights.get(it) ?? 0) > 0) ?? 'identity'
}
