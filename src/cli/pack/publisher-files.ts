import { existsSync, lstatSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Dataset } from '../../catalog/records.ts'
import type { FindFiles } from '../../pack-plans/harvest-plan.ts'
import type { HostAnswers } from '../../build-packs/harvest/host-answers.ts'
import { plannedTimeout_ms } from '../../build-packs/harvest/polite-client.ts'
import { UpstreamError } from '../../model/error.ts'
import { megabytes } from '../../model/text.ts'
import { readBytesAt } from '../../files/byte-reader.ts'
import { FileError } from '../../files/file-error.ts'
import { describeRemoteFile, downloadFile } from './download.ts'
import type { PackCommandDeps } from './pack-deps.ts'
import { createStderrProgress } from '../progress.ts'

/** Far more than any publisher's file. Protects the disk from an endless response. */
const maxDownload_bytes = 64 * 1024 ** 3
const idleTimeout_ms = 60_000

/** A downloaded file of a publisher, its address, and the year in its address. */
export type Download = { path: string; url: string; year: number | null }

/** The files to download. `usableAfter`: a file that was downloaded earlier is downloaded again. */
export type DownloadRequest = { id: string; dataset: Dataset; addresses: readonly string[]; usableAfter: Date }

/**
 * Downloads a publisher's files, resuming earlier downloads. A file that is there is used again.
 * @throws {FileError} if the publisher does not have a file, or a download fails.
 */
export async function downloadFiles(request: DownloadRequest, deps: PackCommandDeps): Promise<Download[]> {
  const downloads: Download[] = []
  for (const address of request.addresses) downloads.push(await firstAvailable(address, request, deps))
  for (const { path } of downloads) {
    const { mtime } = statSync(path)
    // The time of the last access says when a command last used the file.
    utimesSync(path, new Date(), mtime)
    deps.print(
      `Using ${path}, downloaded on ${mtime.toISOString().slice(0, 10)}. To download it again, remove the file.`,
    )
  }
  return downloads
}

/** Downloads the first candidate that the publisher has. @throws {FileError} if it has none. */
async function firstAvailable(
  address: string,
  { id, dataset, usableAfter }: DownloadRequest,
  deps: PackCommandDeps,
): Promise<Download> {
  const candidates = downloadCandidatesOf(address, new Date())
  for (const { url, year } of candidates) {
    const path = join(downloadFolderOf(deps), fileNameOf(url, id))
    if (isDownloaded(path, usableAfter) || (await downloadCandidate({ id, url, path, dataset }, deps)))
      return { path, url, year }
  }
  throw new FileError(
    `Not found on the publisher's server: ${candidates.map(({ url }) => url).join(', ')}. Find the current file at ${dataset.source_url}, then run: fieldstone pack build ${id} <file>`,
  )
}

function isDownloaded(path: string, after: Date): boolean {
  return existsSync(path) && statSync(path).mtime >= after
}

/** Since when files of a dataset can have been downloaded whose data is still valid. */
export function usableSince({ ttl_seconds }: Dataset): Date {
  return new Date(Date.now() - ttl_seconds * 1000)
}

const unusedDownload_ms = 30 * 86_400_000

/** Removes the downloads that no command has used for 30 days. */
export function removeUnusedDownloads(deps: Pick<PackCommandDeps, 'config'>, now: Date): void {
  const folder = downloadFolderOf(deps)
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const path = join(folder, name)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    const usedAt_ms = stat?.isFile() ? Math.max(stat.atimeMs, stat.mtimeMs) : Infinity
    if (usedAt_ms < now.getTime() - unusedDownload_ms) rmSync(path, { force: true })
  }
}

function downloadFolderOf({ config }: Pick<PackCommandDeps, 'config'>): string {
  return join(config.data, 'downloads')
}

/** The names of the files that `pack fetch` downloads from these addresses. */
export function downloadNamesOf(id: string, addresses: readonly string[]): Set<string> {
  return new Set(
    addresses
      .filter((address) => address.startsWith('https://'))
      .flatMap((address) => downloadCandidatesOf(address, new Date()))
      .flatMap(({ url }) => (URL.canParse(url) ? [fileNameOf(url, id)] : [])),
  )
}

/** When the publisher last changed files, by the header Last-Modified. Null if it does not say. */
export async function lastEditOfFiles(
  dataset: Dataset,
  addresses: readonly string[],
  deps: PackCommandDeps,
): Promise<Date | null> {
  const times: Date[] = []
  for (const address of addresses) {
    for (const { url } of downloadCandidatesOf(address, new Date())) {
      const found = await describeRemoteFile(url, transportOptionsOf(dataset, deps))
      if (found === null) continue
      if (found.modified !== null) times.push(found.modified)
      break
    }
  }
  return times.toSorted((a, b) => b.getTime() - a.getTime())[0] ?? null
}

/** Creates the function by which a plan finds the publisher's files. */
export function createFileFinder(deps: PackCommandDeps, answers: HostAnswers): FindFiles {
  const found = new Map<string, ReturnType<typeof findFile>>()
  return async (id, addresses) => {
    const dataset = deps.catalog.datasets.get(id)!
    let sum: number | null = 0
    for (const address of addresses) {
      // A file of several datasets is downloaded once.
      const isCounted = found.has(address)
      if (!isCounted) found.set(address, findFile(address, { id, dataset, answers }, deps))
      const file = await found.get(address)!
      if (file === null) return { missing: address }
      if (!isCounted) sum = sum === null || file.bytes === null ? null : sum + file.bytes
    }
    return { bytes: sum }
  }
}

/**
 * The bytes of the first candidate that exists, 0 if it is already downloaded, null if the publisher does not state it.
 * Null instead of a file if there is none.
 */
async function findFile(
  address: string,
  { id, dataset, answers }: { id: string; dataset: Dataset; answers: HostAnswers },
  deps: PackCommandDeps,
): Promise<{ bytes: number | null } | null> {
  const options = { ...transportOptionsOf(dataset, deps), idleTimeout_ms: plannedTimeout_ms }
  for (const { url } of downloadCandidatesOf(address, new Date())) {
    if (isDownloaded(join(downloadFolderOf(deps), fileNameOf(url, id)), usableSince(dataset))) return { bytes: 0 }
    const found = await answers.run(new URL(url).host, () => describeRemoteFile(url, options))
    if (found !== null) return found
  }
  return null
}

function transportOptionsOf(dataset: Dataset, { config, catalog, version }: PackCommandDeps) {
  return {
    mirror: config.mirror,
    hosts: new Set([...[...catalog.datasets.values()].flatMap(hostsIn), ...(dataset.recipe?.redirects ?? [])]),
    // USGS and SPC reject user agents that do not start with Mozilla.
    userAgent: `Mozilla/5.0 (compatible; fieldstone/${version}${config.contact === null ? '' : `; ${config.contact}`})`,
    idleTimeout_ms,
  }
}

/** Downloads one file. Returns false if the publisher does not have it. */
async function downloadCandidate(
  { id, url, path, dataset }: { id: string; url: string; path: string; dataset: Dataset },
  deps: PackCommandDeps,
): Promise<boolean> {
  const progress = createStderrProgress(basename(path))
  const reportProgress = createDownloadReport(id, deps)
  try {
    const isAvailable = await downloadFile(url, path, {
      ...transportOptionsOf(dataset, deps),
      max_bytes: maxDownload_bytes,
      report(done, bytes) {
        progress.update(done, megabytes(bytes))
        reportProgress(done, bytes)
      },
    })
    if (isAvailable) rejectHtmlPage(id, url, path)
    return isAvailable
  } catch (error) {
    if (error instanceof UpstreamError)
      throw new FileError(
        `${error.message} Run the same command again to continue. Or download ${url} with a browser and run: fieldstone pack build ${id} <file>`,
        { cause: error },
      )
    throw error
  } finally {
    progress.end()
  }
}

const reportInterval_ms = 1000

/**
 * Returns a function that reports the progress of a download every second. A command whose server was killed notices it
 * by the report, and ends.
 */
function createDownloadReport(dataset: string, { report }: PackCommandDeps): (done: number, bytes: number) => void {
  let reportedAt_ms = -Infinity
  return (done, bytes) => {
    if (!report || performance.now() < reportedAt_ms + reportInterval_ms) return
    reportedAt_ms = performance.now()
    report({ event: 'progress', dataset, done, requests: 1, features: 0, bytes })
  }
}

function hostsIn({ bulk, recipe }: Dataset): string[] {
  return [...(recipe?.files ?? []), ...(bulk === null ? [] : [bulk])].flatMap(
    (address) => /^https:\/\/([^/?#{}]+)/.exec(address)?.[1] ?? [],
  )
}

/** Removes a download that is an HTML page, so that the next attempt downloads it again. @throws {FileError} */
function rejectHtmlPage(id: string, url: string, path: string): void {
  const head = readBytesAt(path, 0, 256)
    .toString('latin1')
    .replace(/^[^!-~]+/, '')
  if (!/^<(!doctype html|html|head)/i.test(head)) return
  rmSync(path)
  throw new FileError(
    `${url} returned an HTML page instead of the file. Try again later, or download it with a browser and run: fieldstone pack build ${id} <file>`,
  )
}

function fileNameOf(url: string, id: string): string {
  const name = basename(new URL(url).pathname).replaceAll(/[^\w.-]/g, '_')
  return /\.\w+$/.test(name) ? name : `${id}.download`
}

/** A URL where the publisher's file may be, and the year that the URL contains. */
type DownloadCandidate = { url: string; year: number | null }

/** How many years to try: publishers are months late, and some skip a year. */
const yearsBack = 4

/**
 * Expands `{year}` (last year first, then earlier ones) and `{a,b}` in the URL of a recipe. The best candidate comes
 * first.
 */
export function downloadCandidatesOf(address: string, now: Date): DownloadCandidate[] {
  const lastYear = now.getUTCFullYear() - 1
  const datedUrls: DownloadCandidate[] = address.includes('{year}')
    ? Array.from({ length: yearsBack }, (_, i) => ({
        url: address.replaceAll('{year}', String(lastYear - i)),
        year: lastYear - i,
      }))
    : [{ url: address, year: null }]
  return datedUrls.flatMap(({ url, year }) => expandAlternatives(url).map((it) => ({ url: it, year })))
}

/** Returns one URL for each alternative of the first `{a,b}`. */
function expandAlternatives(url: string): string[] {
  const [pattern, alternatives] = /\{([^{}]+,[^{}]+)\}/.exec(url) ?? []
  return pattern === undefined
    ? [url]
    : alternatives!.split(',').map((alternative) => url.replace(pattern, alternative))
}
