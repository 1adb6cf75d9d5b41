import { runWithDeadline } from '../async/deadline.ts'
import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import type { Call, HttpClient, Reply } from '../net/http-client.ts'
import { isRecord, tryParseJson } from '../model/record.ts'
import { partFolderPattern } from '../packs/part-files.ts'
import { versionOf, type FileStorage } from './file-storage.ts'
import type { StorageFile } from '../packs/layer/raster-pointer.ts'
import type { WebLocation } from './storage-location.ts'
import { mapConcurrently } from '../async/map-concurrently.ts'

const index_bytes = 4 * 1_048_576
const maxFiles = 2_000
const maxFolders = 200
const concurrentCalls = 8
const callDeadline_ms = 20_000
const fileNamePattern = /^\w[\w.-]*\.(?:gpkg|tif|sqlite|json)$/

/**
 * Opens a folder of a web server. Its index is the page that web servers make for a folder, as HTML or as the JSON of
 * nginx. The folders in it are read too.
 */
export function openWebFolder({ url: folder }: WebLocation, net: HttpClient): FileStorage {
  const urlOf = (name: string) => new URL(name.split('/').map(encodeURIComponent).join('/'), folder).href
  const listNames = async (path: string, budget: Budget) => {
    const reply = await sendInTime(net, { url: urlOf(path), cap_bytes: index_bytes }, budget)
    return namesInIndex(reply, urlOf(path))
  }
  /** A folder without files is an error: its page may be no index, and its parts must not count as deleted. */
  const listParts = async (name: string, budget: Budget) => {
    const parts = (await listNames(`${name}/`, budget)).filter((part) => fileNamePattern.test(part))
    if (parts.length > 0) return parts.map((part) => `${name}/${part}`)
    throw new UpstreamError(
      'bad_response',
      `The index of ${urlOf(`${name}/`)} names no pack files. Turn on the index of this folder. If the folder has no packs, delete it or move it to another place.`,
    )
  }

  return {
    location: folder,
    urlOf,
    async list(budget) {
      const names = await listNames('', budget)
      const folders = names
        .flatMap((name) => (name.endsWith('/') ? [name.slice(0, -1)] : []))
        .filter((name) => partFolderPattern.test(name))
      if (folders.length > maxFolders) throw tooManyError(folders.length, 'folders', maxFolders)
      const inFolders = await mapConcurrently(folders, concurrentCalls, async (name) => listParts(name, budget))
      const files = [...names.filter((name) => fileNamePattern.test(name)), ...inFolders.flat()]
      if (files.length > maxFiles) throw tooManyError(files.length, 'files', maxFiles)
      return mapConcurrently(files, concurrentCalls, async (name) =>
        describeWebFile(net, { name, url: urlOf(name) }, budget),
      )
    },
  }

  function tooManyError(count: number, kind: string, max: number): UpstreamError {
    return new UpstreamError('too_large', `${folder} has ${count} ${kind}, and the maximum is ${max}. Remove some.`)
  }
}

/** Sends a call with a time limit, because a server can send its response very slowly. */
async function sendInTime(net: HttpClient, call: Call, budget: Budget): Promise<Reply> {
  return runWithDeadline(callDeadline_ms, budget.signal, async (signal) => net.send(call, { ...budget, signal }))
}

/**
 * Returns the size and the version of a file. Asks for its first byte, because the response states both.
 * @throws {UpstreamError} if the response does not.
 */
export async function describeWebFile(
  net: HttpClient,
  { name, url }: { name: string; url: string },
  budget: Budget,
): Promise<StorageFile> {
  const reply = await sendInTime(net, { url, headers: { range: 'bytes=0-0' }, cap_bytes: index_bytes }, budget)
  const total = /^bytes 0-0\/(\d+)$/.exec(reply.headers.get('content-range') ?? '')?.[1]
  const size_bytes = reply.status === 206 ? Number(total ?? NaN) : reply.bytes.length
  const version = versionOf(reply)
  if (Number.isSafeInteger(size_bytes) && version !== '') return { name, version, size_bytes }
  throw new UpstreamError(
    'bad_response',
    `${new URL(url).host} does not state the size and the ETag or Last-Modified of ${name}. Use a server that does, such as nginx.`,
  )
}

/** The names in an index. The name of a folder ends with a slash. Links to other places are left out. */
function namesInIndex({ headers, bytes }: Reply, url: string): string[] {
  const text = new TextDecoder().decode(bytes)
  const type = headers.get('content-type') ?? ''
  const names = type.includes('json') ? namesInJson(text) : type.includes('html') ? namesInHtml(text, url) : null
  if (names) return [...new Set(names)].filter((name) => /^[^/?#]+\/?$/.test(name))
  throw new UpstreamError(
    'bad_response',
    `${url} returned no index of the folder. Expected HTML with links, or the JSON of nginx. Turn on the index of the web server, such as autoindex.`,
  )
}

/** Null if a page ends early or is not an index. */
function namesInHtml(text: string, url: string): string[] | null {
  if (!/<\/(?:html|body|table|pre|ul)>\s*$/i.test(text)) return null
  return [...text.matchAll(/<a\b[^>]*?\bhref="([^"?#]+)"/gi)].flatMap(([, link]) => {
    try {
      const { href } = new URL(link!.replaceAll('&amp;', '&'), url)
      return href.startsWith(url) ? [decodeURIComponent(href.slice(url.length))] : []
    } catch {
      return []
    }
  })
}

/** Null if a document ends early or is not an index. */
function namesInJson(text: string): string[] | null {
  const entries = tryParseJson(text)
  if (!Array.isArray(entries)) return null
  return entries.flatMap((entry) => {
    if (!isRecord(entry) || typeof entry.name !== 'string') return []
    return [entry.type === 'directory' ? `${entry.name}/` : entry.name]
  })
}
