import { gzipSync, zstdCompressSync } from 'bun'

/** A document that is made once: its bytes, plain and compressed, each with its strong ETag. */
export type Frozen = Record<'identity' | 'gzip' | 'zstd', { bytes: Uint8Array<ArrayBuffer>; etag: string }>

/** Makes it, in every form. */
export function frozen(document: unknown): Frozen {
  const bytes = new TextEncoder().encode(JSON.stringify(document))
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, 32)
  const form = (coded: Uint8Array, suffix: string) => ({ bytes: new Uint8Array(coded), etag: `"${hash}${suffix}"` })
  return { identity: form(bytes, ''), gzip: form(gzipSync(bytes), '-gzip'), zstd: form(zstdCompressSync(bytes), '-zstd') }
}

/** The form that the caller takes, or 304 when the caller has any of them. */
export function served(document: Frozen, { headers }: Request): Response {
  const coding = codingOf(headers.get('accept-encoding') ?? '')
  const { bytes, etag } = document[coding]
  const common = { etag, vary: 'accept-encoding', 'cache-control': 'public, max-age=3600, must-revalidate' }
  const known = (headers.get('if-none-match') ?? '').split(',').map((it) => it.trim().replace(/^W\//, ''))
  const etags = Object.values(document).map((form) => form.etag)
  if (known.some((it) => it === '*' || etags.includes(it))) return new Response(null, { status: 304, headers: common })
  return new Response(bytes, { headers: { ...common, 'content-type': 'application/json', ...(coding === 'identity' ? {} : { 'content-encoding': coding }) } })
}

/** The smallest form that the caller takes: RFC 9110, 12.5.3, where `q=0` means "not this one". */
export function codingOf(accepted: string): keyof Frozen {
  const weights = new Map(accepted.toLowerCase().split(',').map((it) => {
    const [name = '', weight = 'q=1'] = it.split(';').map((part) => part.trim())
    return [name, Number(weight.slice('q='.length))]
  }))
  return (['zstd', 'gzip'] as const).find((it) => (weights.get(it) ?? 0) > 0) ?? 'identity'
}
