/**
 * Files on object storage or in a folder of a web server: listing, reading by range, writing, and local copies of
 * packs.
 */
import { openHttpClient, type HttpClient, type HttpClientOptions } from '../net/http-client.ts'
import { userAgentOf } from '../net/call.ts'
import type { FileStorage } from './file-storage.ts'
import { openS3Storage } from './s3-storage.ts'
import { hostOfLocation, type StorageLocation } from './storage-location.ts'
import { openWebFolder } from './web-folder.ts'

type StorageClientOptions = Pick<HttpClientOptions, 'log' | 'traceUpstreamCall'> & {
  config: { base_url: string }
  version: string
  now: () => Date
}

/**
 * Opens the client that reads files from storage. The operator chose the host, so it may have a private address. A
 * mirror of publishers does not apply to it.
 */
export function openStorageClient(
  location: StorageLocation,
  { config, version, now, log, traceUpstreamCall }: StorageClientOptions,
): HttpClient {
  return openHttpClient({
    mirror: null,
    operatorHosts: new Set([hostOfLocation(location)]),
    userAgent: userAgentOf({ version, base_url: config.base_url, contact: null }),
    catalogHosts: new Set(),
    now,
    random: Math.random,
    ...(log && { log }),
    ...(traceUpstreamCall && { traceUpstreamCall }),
  })
}

/** Opens the storage at a location. `net` reads the files of a web server. */
export function openFileStorage(location: StorageLocation, net: HttpClient): FileStorage {
  return location.kind === 'web' ? openWebFolder(location, net) : openS3Storage(location)
}
