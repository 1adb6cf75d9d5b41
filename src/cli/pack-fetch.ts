import { existsSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Dataset } from '../catalog/records.ts'
import { UpstreamError } from '../model/error.ts'
import { readBytesAt } from '../packs/import/byte-reader.ts'
import { PackError } from '../packs/pack-error.ts'
import { downloadFile } from './download.ts'
import { buildDatasetPack } from './pack-build.ts'
import type { PackFlags, PackCommandDeps } from './pack-deps.ts'
import { findPackTargets } from './pack-target.ts'
import { downloadCandidatesOf, type DownloadCandidate } from './download-candidates.ts'
import { createStderrProgress } from './progress.ts'

/** Far more than any file of a publisher, and less than would fill a disk unnoticed. */
const maxDownload_bytes = 64 * 1024 ** 3
const idleTimeout_ms = 60_000

/** Downloads the publisher's files of a dataset (going on where it ended the last time) and builds the pack of them. */
export async function fetchDatasetPack(id: string, flags: PackFlags, deps: PackCommandDeps): Promise<number> {
  const { config, print } = deps
  const { dataset, file } = findPackTargets(id, typeof flags.layer === 'string' ? flags.layer : null, deps)[0]!
  const { recipe } = dataset
  const addresses = recipe?.files ?? [directDownloadUrl(id, dataset, file)]
  if (config.offline)
    throw new PackError(
      `FIELDSTONE_OFFLINE=1: nothing is downloaded. Get ${addresses.join(' and ')} elsewhere and run: fieldstone pack build ${id} <the file>`,
    )
  const downloads: Download[] = []
  for (const address of addresses)
    downloads.push(await firstAvailable(id, downloadCandidatesOf(address, new Date()), dataset, deps))
  for (const { path } of downloads)
    print(
      `${path} is there, of ${statSync(path).mtime.toISOString().slice(0, 10)}; remove it to have it downloaded anew.`,
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

/** The first of the files that the publisher has. */
async function firstAvailable(
  id: string,
  candidates: DownloadCandidate[],
  dataset: Dataset,
  deps: PackCommandDeps,
): Promise<Download> {
  for (const { url, year } of candidates) {
    const path = join(deps.config.data, 'downloads', fileNameOf(url, id))
    if (existsSync(path) || (await downloadCandidate(id, url, path, dataset, deps))) return { path, year }
  }
  throw new PackError(
    `The publisher has none of ${candidates.map(({ url }) => url).join(', ')}. See ${dataset.source_url} for how it is called now, then run: fieldstone pack build ${id} <the file>`,
  )
}

/** Whether the publisher has the file, which is then here. */
async function downloadCandidate(
  id: string,
  url: string,
  path: string,
  dataset: Dataset,
  { config, catalog, version }: PackCommandDeps,
): Promise<boolean> {
  const progress = createStderrProgress(basename(path))
  const hosts = new Set([...[...catalog.datasets.values()].flatMap(hostsIn), ...(dataset.recipe?.redirects ?? [])])
  // Some publishers (USGS, SPC) refuse what does not call itself Mozilla; who asks is said all the same.
  const userAgent = `Mozilla/5.0 (compatible; fieldstone/${version})`
  try {
    const isAvailable = await downloadFile(url, path, {
      mirror: config.mirror,
      hosts,
      userAgent,
      max_bytes: maxDownload_bytes,
      idleTimeout_ms,
      report: (done, bytes) => progress.update(done, `${(bytes / 1e6).toFixed(1)} MB`),
    })
    if (isAvailable) rejectHtmlPage(id, url, path)
    return isAvailable
  } catch (error) {
    if (error instanceof UpstreamError)
      throw new PackError(
        `${error.message} The same command goes on where it ended; or get ${url} with a browser and run: fieldstone pack build ${id} <the file>`,
        { cause: error },
      )
    throw error
  } finally {
    progress.end()
  }
}

function hostsIn({ bulk, recipe }: Dataset): string[] {
  return [...(recipe?.files ?? []), ...(bulk === null ? [] : [bulk])].flatMap(
    (address) => /^https:\/\/([^/?#{}]+)/.exec(address)?.[1] ?? [],
  )
}

/** A page that says it is a file is not kept, so that the next attempt asks anew. */
function rejectHtmlPage(id: string, url: string, path: string): void {
  const head = readBytesAt(path, 0, 256)
    .toString('latin1')
    .replace(/^[^!-~]+/, '')
  if (!/^<(!doctype html|html|head)/i.test(head)) return
  rmSync(path)
  throw new PackError(
    `${url} gave a page rather than the file. Ask again later, or get it with a browser and run: fieldstone pack build ${id} <the file>`,
  )
}

/** One file behind one address; what needs a choice or a person is refused with what to do. */
function directDownloadUrl(id: string, { bulk, source_url }: Dataset, file: string): string {
  const nextStep = `run: fieldstone pack build ${id} <the file>`
  if (bulk === null)
    throw new PackError(`The catalog knows no file of ${id} to download: see ${source_url}, then ${nextStep}.`)
  if (captchaHosts.some((host) => bulk.includes(host)))
    throw new PackError(
      `${bulk} wants a person to answer a question before it gives the file: download it with a browser, then ${nextStep}.`,
    )
  const isPlain =
    bulk.startsWith('https://') &&
    URL.canParse(bulk) &&
    !/[{}[\]\s]/.test(bulk) &&
    !bulk.endsWith('/') &&
    !/\.(php|html?)$/i.test(bulk) &&
    !landingPages.test(bulk)
  if (!isPlain)
    throw new PackError(
      `The data of ${id} is not one file behind one address: get what you need of ${bulk} (see ${source_url}), then ${nextStep}.`,
    )
  if (/\.xlsx?$/i.test(bulk))
    throw new PackError(`${bulk} is a spreadsheet, which is not read: save it as CSV, then ${nextStep}.`)
  if (file.includes('{level}'))
    throw new PackError(`The pack of ${id} is a raster for each level: get what you need of ${bulk}, then ${nextStep}.`)
  return bulk
}

/** ScienceBase asks for a captcha before it gives a large file. */
const captchaHosts = ['sciencebase.gov/catalog/file/get']
const landingPages = /gis-download$|\/catalog\/RDS-[\d-]+$/

function fileNameOf(url: string, id: string): string {
  const name = basename(new URL(url).pathname).replaceAll(/[^\w.-]/g, '_')
  return /\.\w+$/.test(name) ? name : `${id}.download`
}
