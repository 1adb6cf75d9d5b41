import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CanaryCheck } from './doctor-canaries.ts'
import type { Canary } from '../../catalog/records.ts'

/** A local mirror that forwards requests to the publishers, and keeps the requests and responses of a canary. */
export type RecordingMirror = {
  url: string
  /** Writes what was requested since the last call: the bodies, and a row of the manifest for each. */
  write(dataset: string, canary: Canary, check: CanaryCheck): void
  close(): Promise<void>
}

type Exchange = { host: string; path: string; sent: string; range: string | null; response: Response; body: Uint8Array }

const columns = [
  'case',
  'host',
  'path',
  'match',
  'query_recorded',
  'repo',
  'repo_path',
  'commit',
  'recorded',
  'lat',
  'lng',
  'fields',
  'file',
  'status',
  'content_type',
  'now',
  'expected',
  'doubt',
]
const idleTimeout_s = 120
/** The names of request parameters with keys, or with the mail address of the operator. */
const secretParameter = /(?:^|[&?])(?:api_?key|key|token|registrationkey|email)=([^&]+)/gi

/**
 * Starts the mirror. `folder` receives `manifest.tsv` and `recorded/<host>/<number>`. No key is written: neither from a
 * request nor from a response that repeats it. `upstream` is the mirror behind this one, null for the network.
 */
export function openRecordingMirror(folder: string, upstream: string | null): RecordingMirror {
  const manifest = join(folder, 'manifest.tsv')
  let exchanges: Exchange[] = []
  let count = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: idleTimeout_s,
    async fetch(request) {
      const exchange = await forward(request, upstream)
      exchanges.push(exchange)
      const headers = new Headers(exchange.response.headers)
      for (const name of ['content-length', 'transfer-encoding']) headers.delete(name)
      return new Response(exchange.body, { status: exchange.response.status, headers })
    },
  })
  mkdirSync(folder, { recursive: true })
  if (!existsSync(manifest)) writeFileSync(manifest, `${columns.join('\t')}\n`)
  return {
    url: server.url.origin,
    write(dataset, canary, check) {
      const recorded = exchanges
      exchanges = []
      recorded.forEach((exchange, i) => {
        const file = join('recorded', exchange.host, `${dataset}-${String(++count).padStart(4, '0')}`)
        mkdirSync(join(folder, 'recorded', exchange.host), { recursive: true })
        writeFileSync(join(folder, file), withoutSecrets(exchange))
        appendFileSync(manifest, `${rowOf(dataset, exchange, { file, ...(i === 0 && expectedOf(canary, check)) })}\n`)
      })
    },
    close: () => server.stop(true),
  }
}

async function forward(request: Request, upstream: string | null): Promise<Exchange> {
  const { pathname, search } = new URL(request.url)
  const [, host = '', ...rest] = pathname.split('/')
  const sentBody = request.method === 'POST' ? await request.text() : null
  const headers = new Headers(request.headers)
  headers.delete('host')
  headers.set('accept-encoding', 'identity')
  const response = await fetch(`${upstream ?? 'https:/'}${pathname}${search}`, {
    method: request.method,
    headers,
    redirect: 'manual',
    decompress: false,
    ...(sentBody !== null && { body: sentBody }),
  })
  const sent = `${search.slice(1)} ${sentBody ?? ''}`.trim()
  const body = new Uint8Array(await response.arrayBuffer())
  return { host, path: `/${decoded(rest.join('/'))}`, sent, range: request.headers.get('range'), response, body }
}

/** The case of a manifest: the place, and the result as the expected reading. */
function expectedOf({ lat, lng, field }: Canary, { found, status }: CanaryCheck): Record<string, string> {
  const result = found ?? { status: status === 'right' || status === 'slow' ? 'absent' : 'failed' }
  return { lat: String(lat), lng: String(lng), fields: field, expected: JSON.stringify({ [field]: result }) }
}

function rowOf(dataset: string, { host, path, sent, range, response }: Exchange, cells: Record<string, string>) {
  const parts = sent.split(secretParameter).filter((_, i) => i % 2 === 0)
  const longest = parts
    .flatMap((part) => decoded(part.replaceAll('+', ' ')).split(/[\t\r\n]/))
    .toSorted((a, b) => b.length - a.length)[0]
  const row: Record<string, string> = {
    case: dataset,
    host,
    path,
    match: longest ?? '',
    query_recorded: parts.join('&'),
    repo: 'live',
    recorded: new Date().toISOString().slice(0, 10),
    status: String(response.status),
    content_type: response.headers.get('content-type') ?? '',
    doubt: range === null ? '' : `a part of the file: ${range}`,
    ...cells,
  }
  return columns.map((name) => (row[name] ?? '').replaceAll(/[\t\r\n]+/g, ' ')).join('\t')
}

/** The body; a key of the request that it repeats is replaced. */
function withoutSecrets({ sent, body, response }: Exchange): Uint8Array | string {
  const secrets = [...sent.matchAll(secretParameter)].map(([, value]) => decoded(value!))
  if (secrets.length === 0 || !/json|text|xml|csv/.test(response.headers.get('content-type') ?? '')) return body
  return secrets.reduce((text, secret) => text.replaceAll(secret, 'KEY'), new TextDecoder().decode(body))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
