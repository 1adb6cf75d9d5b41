import { existsSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Dataset } from '../catalog/records.ts'
import type { HostAnswers } from '../harvest/host-answers.ts'
import { plannedTimeout_ms } from '../harvest/polite-client.ts'
import { megabytes } from '../model/text.ts'
import { UpstreamError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import { readBytesAt } from '../packs/import/byte-reader.ts'
import { PackError } from '../packs/pack-error.ts'
import { describeRemoteFile, downloadFile } from './download.ts'
import { buildDatasetPack } from './pack-build.ts'
import type { PackFlags, PackCommandDeps } from './pack-deps.ts'
import { findPackTargets } from './pack-target.ts'
import { createStderrProgress } from './progress.ts'

/** Far more than any publisher's file. Protects the disk from an endless response. */
const maxDownload_bytes = 64 * 1024 ** 3
const idleTimeout_ms = 60_000

/**
 * Downloads the publisher's files of a dataset, resuming earlier downloads, and builds the pack from them. A file that
 * was downloaded before is used again, unless `isRefresh`.
 */
export async function fetchDatasetPack(
  id: string,
  flags: PackFlags,
  deps: PackCommandDeps,
  { isRefresh = false }: { isRefresh?: boolean } = {},
): Promise<number> {
  const { config, print } = deps
  const { dataset, file } = findPackTargets(id, typeof flags.layer === 'string' ? flags.layer : null, deps)[0]!
  const { recipe } = dataset
  const addresses = recipe?.files ?? [directDownloadUrl(id, dataset, file)]
  if (config.offline)
    throw new PackError(
      `Downloads are disabled (FIELDSTONE_OFFLINE=1). Download ${addresses.join(' and ')} on another machine and run: fieldstone pack build ${id} <file>`,
    )
  const downloads: Download[] = []
  for (const address of addresses) downloads.push(await firstAvailable({ id, address, dataset, isRefresh }, deps))
  for (const { path } of downloads)
    print(
      `Using ${path}, downloaded on ${statSync(path).mtime.toISOString().slice(0, 10)}. To download it again, remove the file.`,
    )
  const edition = downloads.find(({ year }) => year !== null)?.year ?? dataset.vintage
  const recipeFlags = {
    ...(recipe && edition !== undefined && { vintage: String(edition) }),
    ...(recipe?.complete && { coverage: wholeEarth }),
  }
  return buildDatasetPack(
    id,
    downloads.map(({ path }) => path),
    { ...recipeFlags, ...flags },
    deps,
  )
}

const wholeEarth = '-180,-90,180,90'

type Download = { path: string; year: number | null }

type DownloadRequest = { id: string; address: string; dataset: Dataset; isRefresh: boolean }

/** Downloads the first candidate that the publisher has. @throws {PackError} if it has none. */
async function firstAvailable(
  { id, address, dataset, isRefresh }: DownloadRequest,
  deps: PackCommandDeps,
): Promise<Download> {
  const candidates = downloadCandidatesOf(address, new Date())
  for (const { url, year } of candidates) {
    const path = join(deps.config.data, 'downloads', fileNameOf(url, id))
    const isThere = !isRefresh && existsSync(path)
    if (isThere || (await downloadCandidate({ id, url, path, dataset }, deps))) return { path, year }
  }
  throw new PackError(
    `Not found on the publisher's server: ${candidates.map(({ url }) => url).join(', ')}. Find the current file at ${dataset.source_url}, then run: fieldstone pack build ${id} <file>`,
  )
}

/**
 * When the files of a pack were downloaded, by its manifest. Null if it was built from other files than those that
 * `pack fetch` downloads.
 */
export function downloadTimeOf(id: string, dataset: Dataset, { contents }: Record<string, unknown>): Date | null {
  const names = new Set(
    addressesOf(dataset)
      .filter((address) => address.startsWith('https://'))
      .flatMap((address) => downloadCandidatesOf(address, new Date()))
      .flatMap(({ url }) => (URL.canParse(url) ? [fileNameOf(url, id)] : [])),
  )
  const layers = Object.values(isRecord(contents) ? contents : {}).filter(isRecord)
  const sources = layers
    .filter((layer) => layer.dataset === id)
    .flatMap((layer) => (Array.isArray(layer.sources) ? layer.sources.filter(isRecord) : []))
  const times_ms = sources.map(({ modified }) => Date.parse(String(modified)))
  const isDownloaded = sources.length > 0 && sources.every(({ file }) => names.has(basename(String(file))))
  return isDownloaded && times_ms.every(Number.isFinite) ? new Date(Math.min(...times_ms)) : null
}

/** When the publisher last changed the files of a dataset, by the header Last-Modified. Null if it does not say. */
export async function lastEditOfDownload(dataset: Dataset, deps: PackCommandDeps): Promise<Date | null> {
  const times: Date[] = []
  for (const address of addressesOf(dataset)) {
    for (const { url } of downloadCandidatesOf(address, new Date())) {
      const found = await describeRemoteFile(url, transportOptionsOf(dataset, deps))
      if (found === null) continue
      if (found.modified !== null) times.push(found.modified)
      break
    }
  }
  return times.toSorted((a, b) => b.getTime() - a.getTime())[0] ?? null
}

type DownloadSizeRequest = { id: string; dataset: Dataset; answers: HostAnswers }

/**
 * How many bytes of a dataset's files are not downloaded yet. Null if the publisher does not state a size.
 * @throws {UpstreamError} if the publisher fails.
 */
export async function bytesToDownload(request: DownloadSizeRequest, deps: PackCommandDeps): Promise<number | null> {
  let sum = 0
  for (const address of addressesOf(request.dataset)) {
    const found = await bytesOfFirstCandidate(downloadCandidatesOf(address, new Date()), request, deps)
    if (found === null) return null
    sum += found
  }
  return sum
}

/** Returns the size of the first candidate that exists. Returns 0 if it is already downloaded. */
async function bytesOfFirstCandidate(
  candidates: readonly DownloadCandidate[],
  { id, dataset, answers }: DownloadSizeRequest,
  deps: PackCommandDeps,
): Promise<number | null> {
  const options = { ...transportOptionsOf(dataset, deps), idleTimeout_ms: plannedTimeout_ms }
  for (const { url } of candidates) {
    if (existsSync(join(deps.config.data, 'downloads', fileNameOf(url, id)))) return 0
    const found = await answers.run(new URL(url).host, () => describeRemoteFile(url, options))
    if (found !== null) return found.bytes
  }
  return null
}

function addressesOf({ recipe, bulk }: Dataset): string[] {
  return recipe?.files ?? (bulk === null ? [] : [bulk])
}

function transportOptionsOf(dataset: Dataset, { config, catalog, version }: PackCommandDeps) {
  return {
    mirror: config.mirror,
    hosts: new Set([...[...catalog.datasets.values()].flatMap(hostsIn), ...(dataset.recipe?.redirects ?? [])]),
    // USGS and SPC reject user agents that do not start with Mozilla.
    userAgent: `Mozilla/5.0 (compatible; fieldstone/${version})`,
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
      throw new PackError(
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

/** Removes a download that is an HTML page, so that the next attempt downloads it again. @throws {PackError} */
function rejectHtmlPage(id: string, url: string, path: string): void {
  const head = readBytesAt(path, 0, 256)
    .toString('latin1')
    .replace(/^[^!-~]+/, '')
  if (!/^<(!doctype html|html|head)/i.test(head)) return
  rmSync(path)
  throw new PackError(
    `${url} returned an HTML page instead of the file. Try again later, or download it with a browser and run: fieldstone pack build ${id} <file>`,
  )
}

/**
 * Returns the URL of the dataset's single file.
 * @throws {PackError} with instructions if a person must choose or download it.
 */
function directDownloadUrl(id: string, { bulk, source_url }: Dataset, file: string): string {
  const nextStep = `run: fieldstone pack build ${id} <file>`
  if (bulk === null)
    throw new PackError(`The catalog has no download for ${id}. Find a file at ${source_url}, then ${nextStep}.`)
  if (captchaHosts.some((host) => bulk.includes(host)))
    throw new PackError(`${bulk} requires a captcha. Download the file with a browser, then ${nextStep}.`)
  const isPlain =
    bulk.startsWith('https://') &&
    URL.canParse(bulk) &&
    !/[{}[\]\s]/.test(bulk) &&
    !bulk.endsWith('/') &&
    !/\.(php|html?)$/i.test(bulk) &&
    !landingPages.test(bulk)
  if (!isPlain)
    throw new PackError(
      `${id} is not available as a single file. Download what you need from ${bulk} (see ${source_url}), then ${nextStep}.`,
    )
  if (/\.xlsx?$/i.test(bulk))
    throw new PackError(`${bulk} is a spreadsheet, which is not supported. Save it as CSV, then ${nextStep}.`)
  if (file.includes('{level}'))
    throw new PackError(
      `The pack of ${id} has one raster per level. Download the levels you need from ${bulk}, then ${nextStep}.`,
    )
  return bulk
}

/** ScienceBase requires a captcha for large files. */
const captchaHosts = ['sciencebase.gov/catalog/file/get']
const landingPages = /gis-download$|\/catalog\/RDS-[\d-]+$/

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
