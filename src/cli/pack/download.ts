import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { UpstreamError } from '../../model/error.ts'
import { megabytes } from '../../model/text.ts'
import { createAddressGuard, resolveByDns } from '../../net/address-guard.ts'
import { requireIdentity } from '../../net/body.ts'
import { toUpstreamError, statusError } from '../../net/upstream-errors.ts'
import { createMirror, noMirror } from '../../net/mirror.ts'
import { createTransport, type Transport } from '../../net/transport.ts'
import { isDiskFullError, FileError } from '../../files/file-error.ts'
import { freeBytesIn, minFreeSpace_bytes } from '../../store/free-space.ts'
import { lockFile } from '../../store/sqlite/folder-lock.ts'
import { makePackFolder } from './pack-install.ts'

/** `hosts` are the allowed redirect targets; `idleTimeout_ms` is the longest time without data. */
type DownloadTransportOptions = {
  mirror: string | null
  hosts: ReadonlySet<string>
  userAgent: string
  idleTimeout_ms: number
}

/** Options of a download. */
export type DownloadOptions = DownloadTransportOptions & {
  max_bytes: number
  report(done: number, bytes: number): void
}

const browserStep = 'Download the file with a browser and run `fieldstone pack build`.'

/**
 * Downloads a file to `path`. Resumes an earlier attempt from `<path>.part`. Returns false if the host answers 404 or
 * 410.
 * @throws {UpstreamError} if the host fails.
 * @throws {FileError} if the response is not a file, is too large for the limit or the disk, or ends early, and if
 * another process is downloading the file.
 */
export async function downloadFile(url: string, path: string, options: DownloadOptions): Promise<boolean> {
  makePackFolder(dirname(path))
  const unlock = await lockDownload(path)
  const idleTimeout = createIdleTimeout(options.idleTimeout_ms)
  try {
    return await downloadResumable(url, path, options, idleTimeout)
  } finally {
    idleTimeout.clear()
    unlock()
  }
}

const lockWait_ms = 250
const lockAttempts = 40

/** Two processes would write into one part. The command of a server that was killed ends a moment later. */
async function lockDownload(path: string): Promise<() => void> {
  for (let attempt = 1; attempt <= lockAttempts; attempt++) {
    const unlock = lockFile(`${path}.lock`)
    if (unlock) return unlock
    await Bun.sleep(lockWait_ms)
  }
  throw new FileError(
    `Another process is downloading ${basename(path)}. Wait until it has ended, and run the same command again.`,
  )
}

/** When a file was last changed, and its size; each null if the host does not state it. */
type RemoteFile = { modified: Date | null; bytes: number | null }

/**
 * Returns the size and the time of a file; null if the host answers 404 or 410. Requests only the first byte.
 * @throws {UpstreamError} if the host fails.
 */
export async function describeRemoteFile(url: string, options: DownloadTransportOptions): Promise<RemoteFile | null> {
  const idleTimeout = createIdleTimeout(options.idleTimeout_ms)
  const headers = { 'accept-encoding': 'identity', range: 'bytes=0-0' }
  try {
    const response = await openTransport(options)({ url, headers, acceptedStatuses: [404, 410] }, idleTimeout.signal)
    await response.body?.cancel()
    if (response.status === 404 || response.status === 410) return null
    if (!response.ok) throw statusError(response.status, new URL(url).host)
    const modified = new Date(response.headers.get('last-modified') ?? NaN)
    const length = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1]
    const whole = response.status === 200 ? response.headers.get('content-length') : null
    return {
      modified: Number.isNaN(modified.getTime()) ? null : modified,
      bytes: length === undefined ? (whole === null ? null : Number(whole)) : Number(length),
    }
  } finally {
    idleTimeout.clear()
  }
}

function openTransport({ mirror, hosts, userAgent }: DownloadTransportOptions): Transport {
  const isAllowedHost = (name: string) => hosts.has(name)
  const sharedOptions = { userAgent, isAllowedHost, isOperatorHost: () => false }
  return mirror === null
    ? createTransport({
        ...sharedOptions,
        mirror: noMirror,
        guard: createAddressGuard(resolveByDns, () => performance.now()),
      })
    : createTransport({ ...sharedOptions, mirror: createMirror(mirror, isAllowedHost), guard: null })
}

/** Aborts `signal` when `reset` was not called for a while. */
type IdleTimeout = { signal: AbortSignal; reset(): void; clear(): void }

function createIdleTimeout(idleTimeout_ms: number): IdleTimeout {
  const controller = new AbortController()
  const abort = () => controller.abort(new DOMException('No data received.', 'TimeoutError'))
  let timer = setTimeout(abort, idleTimeout_ms)
  return {
    signal: controller.signal,
    reset() {
      clearTimeout(timer)
      timer = setTimeout(abort, idleTimeout_ms)
    },
    clear: () => clearTimeout(timer),
  }
}

async function downloadResumable(
  url: string,
  path: string,
  options: DownloadOptions,
  idleTimeout: IdleTimeout,
): Promise<boolean> {
  const { max_bytes, report } = options
  const part = `${path}.part`
  const partial_bytes = existsSync(part) ? statSync(part).size : 0
  // Without a validator, a changed file could not be detected, so the download starts from the beginning.
  const validator = existsSync(`${part}.validator`) ? readFileSync(`${part}.validator`, 'utf8') : null
  const { host } = new URL(url)
  const headers = {
    'accept-encoding': 'identity',
    ...(partial_bytes > 0 && validator !== null && { range: `bytes=${partial_bytes}-`, 'if-range': validator }),
  }
  const response = await openTransport(options)({ url, headers, acceptedStatuses: [404, 410, 416] }, idleTimeout.signal)
  if (response.status === 404 || response.status === 410) {
    await response.body?.cancel()
    return false
  }
  if (response.status === 416 && partial_bytes > 0 && totalBytesOf(response) === partial_bytes)
    return moveIntoPlace(part, path)
  if (!response.ok) throw statusError(response.status, host)
  requireIdentity(response.headers, host)
  if (/^text\/html/i.test(response.headers.get('content-type') ?? ''))
    throw new FileError(`${host} returned an HTML page instead of the file. ${browserStep}`)
  const from = response.status === 206 ? partial_bytes : 0
  if (response.status === 206) requireRangeFrom(response, { from, part, host })
  const length = Number(response.headers.get('content-length') ?? NaN)
  const total = Number.isFinite(length) ? from + length : null
  if ((total ?? 0) > max_bytes)
    throw new FileError(
      `${basename(path)} has ${total} bytes, more than the download limit of ${max_bytes} bytes. ${browserStep}`,
    )
  if (total !== null) requireFreeSpace(path, total - from)
  if (from === 0) saveValidator(response, `${part}.validator`)
  await writeChunks(readBodyChunks(response, host, idleTimeout), part, { from, total, max_bytes, report })
  if (total !== null && statSync(part).size !== total)
    throw new FileError(
      `${host} closed the connection after ${statSync(part).size} of ${total} bytes. Run the same command again to continue.`,
    )
  return moveIntoPlace(part, path)
}

/** @throws {UpstreamError} if a part begins elsewhere. Then removes the file, so that the next attempt starts again. */
function requireRangeFrom({ headers }: Response, { from, part, host }: { from: number; part: string; host: string }) {
  if (headers.get('content-range')?.startsWith(`bytes ${from}-`)) return
  removePart(part)
  throw new UpstreamError(
    'bad_response',
    `${host} sent bytes of ${basename(part, '.part')} that were not requested. Run the same command again to download the whole file.`,
  )
}

function removePart(part: string): void {
  rmSync(part, { force: true })
  rmSync(`${part}.validator`, { force: true })
}

function moveIntoPlace(part: string, path: string): true {
  renameSync(part, path)
  rmSync(`${part}.validator`, { force: true })
  return true
}

/** Saves the strong ETag or the Last-Modified date, for the If-Range header of a resumed download. */
function saveValidator({ headers }: Response, path: string): void {
  const etag = headers.get('etag')
  const validator = etag !== null && !etag.startsWith('W/') ? etag : headers.get('last-modified')
  if (validator === null) rmSync(path, { force: true })
  else writeFileSync(path, validator)
}

/** Yields the chunks of the body. @throws {UpstreamError} if the connection breaks. */
async function* readBodyChunks(
  { body }: Response,
  host: string,
  { signal, reset }: IdleTimeout,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body ?? []) {
      reset()
      yield chunk
    }
  } catch (error) {
    throw toUpstreamError(error, host, signal)
  }
}

/** @throws {FileError} if the rest of a file does not fit on the disk. */
function requireFreeSpace(path: string, missing_bytes: number): void {
  const folder = dirname(path)
  const needed = missing_bytes + minFreeSpace_bytes
  const free = freeBytesIn(folder)
  if (needed <= free) return
  throw new FileError(
    `${basename(path)} needs ${megabytes(needed)} on the disk of ${folder}, and ${megabytes(free)} are free. Free some space, and run the same command again.`,
  )
}

type WriteOptions = { from: number; total: number | null; max_bytes: number; report: DownloadOptions['report'] }

/** Writes the chunks to `part`. If the disk becomes full, removes `part`, because other programs need the space. */
async function writeChunks(
  chunks: AsyncIterable<Uint8Array>,
  part: string,
  { from, total, max_bytes, report }: WriteOptions,
): Promise<void> {
  const file = await open(part, from > 0 ? 'a' : 'w')
  let bytes = from
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > max_bytes)
        throw new FileError(
          `${basename(part, '.part')} is larger than the download limit of ${max_bytes} bytes. ${browserStep}`,
        )
      await writeCompletely(file, chunk)
      report(total === null ? 0 : bytes / total, bytes)
    }
  } catch (cause) {
    if (!isDiskFullError(cause)) throw cause
    removePart(part)
    throw new FileError(
      `The disk of ${dirname(part)} became full after ${megabytes(bytes)} of ${basename(part, '.part')}. The incomplete file was removed. Free some space, and run the same command again.`,
      { cause },
    )
  } finally {
    await file.close()
  }
}

async function writeCompletely(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.length;) {
    const { bytesWritten } = await file.write(chunk, written)
    written += bytesWritten
  }
}

function totalBytesOf({ headers }: Response): number | null {
  const total = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1]
  return total === undefined ? null : Number(total)
}
