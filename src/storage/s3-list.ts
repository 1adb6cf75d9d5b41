import { createYieldToEventLoop } from '../async/incremental-task.ts'
import { parseXmlTags } from '../files/xml-tags.ts'
import { fetchBounded } from '../net/bounded-fetch.ts'
import type { S3Location } from './storage-location.ts'

/** A file as a bucket lists it. A member that the answer lacks is missing. */
type ListedFile = { key?: string; eTag?: string; size?: number }

/** A page of the list. `isComplete`: the answer was not cut off. */
export type ListPage = { files: ListedFile[]; isComplete: boolean; isTruncated: boolean; nextToken: string | null }

/** A page has at most this many files. */
export const page_files = 1_000
/** A thousand files with the longest keys have some 2 MB. */
const pageMax_bytes = 4 * 1024 * 1024
const slice_ms = 20

/**
 * Fetches a page of the list of a prefix. Bun's client reads an answer of any size, so the request is signed here.
 * @throws {UpstreamError} `too_large`, and an error with the code of S3 or of the connection.
 */
export async function fetchListPage(
  location: S3Location,
  token: string | null,
  now: Date,
  signal: AbortSignal,
): Promise<ListPage> {
  const query = new URLSearchParams({
    ...(token !== null && { 'continuation-token': token }),
    'list-type': '2',
    'max-keys': String(page_files),
    prefix: location.prefix,
  })
  const path = `/${location.bucket}?${encodeQuery(query)}`
  const url = new URL(location.endpoint + path)
  const headers = signedHeaders(url, location, now)
  const response = await fetchBounded(url.href, { headers, signal, redirect: 'manual' }, pageMax_bytes)
  const text = await response.text()
  if (!response.ok)
    throw Object.assign(new Error(`S3 answered ${response.status}.`), { code: errorCodeOf(text, response.status) })
  return parsePage(text)
}

async function parsePage(xml: string): Promise<ListPage> {
  const page: ListPage = { files: [], isComplete: false, isTruncated: false, nextToken: null }
  const yieldToEventLoop = createYieldToEventLoop(slice_ms)
  let file: ListedFile = {}
  for (const { name, kind, text } of parseXmlTags(xml)) {
    const nextTurn = yieldToEventLoop()
    if (nextTurn) await nextTurn
    if (kind !== 'close') continue
    if (name === 'Key') file.key = text
    else if (name === 'ETag') file.eTag = text
    else if (name === 'Size') file.size = Number(text)
    else if (name === 'IsTruncated') page.isTruncated = text === 'true'
    else if (name === 'NextContinuationToken') page.nextToken = text
    else if (name === 'ListBucketResult') page.isComplete = true
    else if (name === 'Contents') {
      page.files.push(file)
      file = {}
    }
  }
  return page
}

/** The code of an error document. */
function errorCodeOf(xml: string, status: number): string {
  for (const { name, kind, text } of parseXmlTags(xml)) if (name === 'Code' && kind === 'close') return text
  return status >= 500 ? 'InternalError' : ''
}

/** Signs a request without a body with Signature Version 4. */
function signedHeaders(url: URL, { credentials, region }: S3Location, now: Date): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials()
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const headers: Record<string, string> = {
    host: url.host,
    'x-amz-content-sha256': sha256(''),
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  }
  const names = Object.keys(headers).join(';')
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const request = ['GET', url.pathname, url.search.slice(1), lines.join(''), names, sha256('')].join('\n')
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n')).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  return { ...headers, authorization }
}

function sha256(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return new Bun.CryptoHasher('sha256', key).update(text).digest()
}

/** The parameters in the order and with the escapes of the signature. */
function encodeQuery(query: URLSearchParams): string {
  return [...query].map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}
