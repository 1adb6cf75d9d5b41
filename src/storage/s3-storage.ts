import { runWithDeadline } from '../async/deadline.ts'
import { UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { withQuotes, type FileStorage } from './file-storage.ts'
import type { StorageFile } from '../packs/layer/raster-pointer.ts'
import { fetchListPage, page_files, type ListPage } from './s3-list.ts'
import { hostOfLocation, nameOfLocation, type S3Location } from './storage-location.ts'

/** A prefix of an S3 bucket. Names are paths below the prefix. */
export type S3Storage = FileStorage & {
  /** Writes a file. A large one is uploaded in parts. */
  write(name: string, content: Blob | Response | string, budget: Budget): Promise<void>
  describe(name: string, budget: Budget): Promise<StorageFile>
  /** Deletes a file. Also succeeds if the file does not exist. */
  delete(name: string, budget: Budget): Promise<void>
  /** A URL that downloads a file with these headers, valid for some minutes. */
  downloadUrlOf(name: string, headers: { type: string; disposition: string }): string
}

/** A URL that reads a file is valid for this time. */
const validity_s = 900
const maxFiles = 20_000
/** A server may return pages that are not full. */
const maxPages = 100
const callDeadline_ms = 20_000
const listDeadline_ms = 120_000

/** Opens a prefix of a bucket. Nothing is sent before the first call. */
export function openS3Storage(location: S3Location): S3Storage {
  const { bucket, prefix, endpoint, region } = location
  const credentials = location.credentials()
  const client = new Bun.S3Client({ ...credentials, bucket, endpoint, region })
  // A colon in the key must be escaped in a URL, which the client does not do.
  const accessKeyId = encodeURIComponent(credentials.accessKeyId)
  const signer = new Bun.S3Client({ ...credentials, accessKeyId, bucket, endpoint, region })
  /** The client takes no signal, so a call of it that is too late continues, and its result is ignored. */
  const send = async <T>(
    limit_ms: number,
    { signal }: Budget,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    try {
      return await runWithDeadline(limit_ms, signal, work)
    } catch (error) {
      throw signal.aborted && error === signal.reason ? error : s3ErrorOf(error, location)
    }
  }
  const listPage = (token: string | null, budget: Budget) =>
    send(callDeadline_ms, budget, (signal) => fetchListPage(location, token, new Date(), signal))
  const listPages = async (budget: Budget): Promise<StorageFile[]> => {
    const files: StorageFile[] = []
    let token: string | null = null
    for (let pages = 0; pages === 0 || token !== null; pages++) {
      if (pages === maxPages) throw tooManyFilesError(location)
      const page: ListPage = await listPage(token, budget)
      if (!page.isComplete || page.files.length > page_files) throw incompleteListError(location)
      for (const { key, eTag, size } of page.files) {
        if (!key?.startsWith(prefix) || eTag === undefined || !Number.isSafeInteger(size))
          throw incompleteListError(location)
        files.push({ name: key.slice(prefix.length), version: withQuotes(eTag), size_bytes: size! })
      }
      if (files.length > maxFiles) throw tooManyFilesError(location)
      if (page.isTruncated && !page.nextToken) throw incompleteListError(location)
      token = page.isTruncated ? page.nextToken : null
    }
    return files
  }

  return {
    location: nameOfLocation(location),
    list: ({ signal }) => runWithDeadline(listDeadline_ms, signal, (listSignal) => listPages({ signal: listSignal })),
    urlOf: (name) => signer.presign(prefix + name, { method: 'GET', expiresIn: validity_s }),
    write: async (name, content, budget) =>
      send(Infinity, budget, async () => void (await client.write(prefix + name, content))),
    async describe(name, budget) {
      const { etag, size } = await send(callDeadline_ms, budget, async () => client.stat(prefix + name))
      return { name, version: withQuotes(etag), size_bytes: size }
    },
    delete: async (name, budget) => send(callDeadline_ms, budget, async () => client.delete(prefix + name)),
    downloadUrlOf: (name, { type, disposition }) =>
      signer.presign(prefix + name, {
        method: 'GET',
        expiresIn: validity_s,
        type,
        contentDisposition: disposition,
      }),
  }
}

/** The error of a call. The message of the server is left out: it can contain the key. */
function s3ErrorOf(error: unknown, location: S3Location): Error {
  const host = hostOfLocation(location)
  if (error instanceof UpstreamError)
    return new UpstreamError(error.code, `${nameOfLocation(location)} on ${host}: ${error.message}`)
  // Only errors of the S3 client have a code. The content of an upload can fail too.
  if (error instanceof Error && !('code' in error)) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!/^\w{1,60}$/.test(code))
    return new UpstreamError(
      'bad_response',
      `${host} returned an error for ${nameOfLocation(location)} that is not a valid S3 error. Check AWS_ENDPOINT_URL.`,
    )
  if (code === 'InvalidResponse') return incompleteListError(location)
  if (/^(?:ServiceUnavailable|SlowDown|InternalError|ServerBusy|UnknownError)$/.test(code))
    return new UpstreamError('upstream_5xx', `${host} did not answer for ${nameOfLocation(location)} (${code}).`)
  if (/^(?:Connection|FailedToOpenSocket|E[A-Z]+$)/.test(code))
    return new UpstreamError('connection_failed', `The connection to ${host} failed or was closed early (${code}).`)
  return new UpstreamError(
    'upstream_rejected',
    `${host} rejected the request for ${nameOfLocation(location)} (${code}). Check the bucket, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL.`,
  )
}

function incompleteListError(location: S3Location): UpstreamError {
  return new UpstreamError(
    'bad_response',
    `${hostOfLocation(location)} returned an incomplete list of ${nameOfLocation(location)}. Try again later.`,
  )
}

function tooManyFilesError(location: S3Location): UpstreamError {
  return new UpstreamError(
    'too_large',
    `${nameOfLocation(location)} has more than ${maxFiles} files. Use a prefix that contains only packs.`,
  )
}
