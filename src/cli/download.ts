import { createWriteStream, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { once } from 'node:events'
import { createAddressGuard, resolveByDns } from '../net/address-guard.ts'
import { requireIdentity } from '../net/content-encoding.ts'
import { toUpstreamError, statusError } from '../net/upstream-errors.ts'
import { createMirror, noMirror } from '../net/mirror.ts'
import { createTransport } from '../net/transport.ts'
import { PackError } from '../packs/pack-error.ts'
import { makePackFolder } from './pack-folder.ts'

/** What a download is made with. `hosts`: where a redirect may lead; `mirror`: where all is asked instead; `silence_ms`: for how long a host may say nothing. */
export type Downloading = { mirror: string | null; hosts: ReadonlySet<string>; userAgent: string; most_bytes: number; silence_ms: number; report(done: number, bytes: number): void }

/**
 * Downloads a file to `path`, going on where an attempt before it ended: what has arrived lies in `<path>.part`. Throws what `net/`
 * throws, or a sentence on what is not a file. False when the host has no such file.
 */
export async function download(url: string, path: string, downloading: Downloading): Promise<boolean> {
  const silence = openSilence(downloading.silence_ms)
  try {
    return await arrived(url, path, downloading, silence)
  } finally {
    silence.over()
  }
}

/** Gives up when nobody has said anything for a while. */
type Silence = { signal: AbortSignal; broken(): void; over(): void }

function openSilence(silence_ms: number): Silence {
  const giving = new AbortController()
  const give = () => giving.abort(new DOMException('Nothing came for a while.', 'TimeoutError'))
  let timer = setTimeout(give, silence_ms)
  return {
    signal: giving.signal,
    broken() {
      clearTimeout(timer)
      timer = setTimeout(give, silence_ms)
    },
    over: () => clearTimeout(timer),
  }
}

async function arrived(url: string, path: string, { mirror, hosts, userAgent, most_bytes, report }: Downloading, silence: Silence): Promise<boolean> {
  makePackFolder(dirname(path))
  const part = `${path}.part`
  const held = existsSync(part) ? statSync(part).size : 0
  // A file that has changed since is begun anew: what has no mark to tell it by, always.
  const mark = existsSync(`${part}.mark`) ? readFileSync(`${part}.mark`, 'utf8') : null
  const { host } = new URL(url)
  const own = { userAgent, isAllowedHost: (name: string) => hosts.has(name), isOperatorHost: () => false }
  const wire = mirror === null ? createTransport({ ...own, mirror: noMirror, guard: createAddressGuard(resolveByDns, () => performance.now()) }) : createTransport({ ...own, mirror: createMirror(mirror, own.isAllowedHost), guard: null })
  const headers = { 'accept-encoding': 'identity', ...(held > 0 && mark !== null && { range: `bytes=${held}-`, 'if-range': mark }) }
  const response = await wire({ url, headers, acceptedStatuses: [404, 410, 416] }, silence.signal)
  if (response.status === 404 || response.status === 410) {
    await response.body?.cancel()
    return false
  }
  if (response.status === 416 && held > 0 && totalOf(response) === held) return finished(part, path)
  if (!response.ok) throw statusError(response.status, host)
  requireIdentity(response.headers, host)
  if (/^text\/html/i.test(response.headers.get('content-type') ?? '')) throw new PackError(`${host} answered with a page rather than with the file.`)
  const from = response.status === 206 ? held : 0
  const length = Number(response.headers.get('content-length') ?? NaN)
  const total = Number.isFinite(length) ? from + length : null
  if ((total ?? 0) > most_bytes) throw new PackError(`${basename(path)} has ${total} bytes; at most ${most_bytes} are downloaded.`)
  if (from === 0) noteMark(response, `${part}.mark`)
  await write(chunksOf(response, host, silence), part, { from, total, most_bytes, report })
  if (total !== null && statSync(part).size !== total) throw new PackError(`${host} ended after ${statSync(part).size} of ${total} bytes: the same command goes on from there.`)
  return finished(part, path)
}

function finished(part: string, path: string): true {
  renameSync(part, path)
  rmSync(`${part}.mark`, { force: true })
  return true
}

/** A strong ETag, or the date: what a server knows its file again by. */
function noteMark({ headers }: Response, path: string): void {
  const etag = headers.get('etag')
  const mark = etag !== null && !etag.startsWith('W/') ? etag : headers.get('last-modified')
  if (mark === null) rmSync(path, { force: true })
  else writeFileSync(path, mark)
}

/** The body piece by piece; a connection that breaks off is the fault of the host. */
async function* chunksOf({ body }: Response, host: string, { signal, broken }: Silence): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body ?? []) {
      broken()
      yield chunk
    }
  } catch (error) {
    throw toUpstreamError(error, host, signal)
  }
}

async function write(chunks: AsyncIterable<Uint8Array>, part: string, { from, total, most_bytes, report }: { from: number; total: number | null; most_bytes: number; report: Downloading['report'] }): Promise<void> {
  const file = createWriteStream(part, { flags: from > 0 ? 'a' : 'w' })
  let bytes = from
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > most_bytes) throw new PackError(`${basename(part, '.part')} has more than the ${most_bytes} bytes that are downloaded at most.`)
      if (!file.write(chunk)) await once(file, 'drain')
      report(total === null ? 0 : bytes / total, bytes)
    }
  } finally {
    file.end()
    await once(file, 'close')
  }
}

function totalOf({ headers }: Response): number | null {
  const total = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1]
  return total === undefined ? null : Number(total)
}
