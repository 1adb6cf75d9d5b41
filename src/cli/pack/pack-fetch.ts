import { basename } from 'node:path'
import { canCopyArea, isPublishedByPlace } from '../../catalog/copy-rules.ts'
import type { Dataset } from '../../catalog/records.ts'
import { isRecord } from '../../model/record.ts'
import { FileError } from '../../files/file-error.ts'
import { buildDatasetPack } from './pack-build.ts'
import type { PackFlags, PackCommandDeps } from './pack-deps.ts'
import { findPackTargets } from './pack-target.ts'
import { downloadFiles, downloadNamesOf, lastEditOfFiles, type Download } from './publisher-files.ts'

/**
 * Downloads the publisher's files of a dataset, resuming earlier downloads, and builds the pack from them. A file that
 * was downloaded before `usableAfter` is downloaded again.
 */
export async function fetchDatasetPack(
  id: string,
  flags: PackFlags,
  deps: PackCommandDeps,
  usableAfter = new Date(0),
): Promise<number> {
  const { config } = deps
  const { dataset, file } = findPackTargets(id, typeof flags.layer === 'string' ? flags.layer : null, deps)[0]!
  const { recipe } = dataset
  if (isPublishedByPlace(dataset))
    throw new FileError(
      `The publisher has a file of ${id} for each state or county. Name an area, such as: fieldstone pack fetch ${id} --area "Boulder County, CO"`,
    )
  const addresses = recipe?.files ?? [directDownloadUrl(id, dataset, file)]
  if (config.offline)
    throw new FileError(
      `Downloads are disabled (FIELDSTONE_OFFLINE=1). Download ${addresses.join(' and ')} on another machine and run: fieldstone pack build ${id} <file>`,
    )
  return buildDownloads(id, await downloadFiles({ id, dataset, addresses, usableAfter }, deps), flags, deps)
}

/** Builds the pack of all features of the publisher's files. */
export function buildDownloads(
  id: string,
  downloads: readonly Download[],
  flags: PackFlags,
  deps: PackCommandDeps,
): Promise<number> {
  const dataset = deps.catalog.datasets.get(id)!
  const { recipe } = dataset
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

/**
 * When the files of a pack were downloaded, by its manifest. Null if it was built from other files than those that
 * `pack fetch` downloads.
 */
export function downloadTimeOf(id: string, dataset: Dataset, { contents }: Record<string, unknown>): Date | null {
  const names = downloadNamesOf(id, addressesOf(dataset))
  const layers = Object.values(isRecord(contents) ? contents : {}).filter(isRecord)
  const sources = layers
    .filter((layer) => layer.dataset === id)
    .flatMap((layer) => (Array.isArray(layer.sources) ? layer.sources.filter(isRecord) : []))
  const times_ms = sources.map(({ modified }) => Date.parse(String(modified)))
  const isDownloaded = sources.length > 0 && sources.every(({ file }) => names.has(basename(String(file))))
  return isDownloaded && times_ms.every(Number.isFinite) ? new Date(Math.min(...times_ms)) : null
}

/** When the publisher last changed the files of a dataset. Null if it does not say. */
export function lastEditOfDownload(dataset: Dataset, deps: PackCommandDeps): Promise<Date | null> {
  return lastEditOfFiles(dataset, addressesOf(dataset), deps)
}

function addressesOf({ recipe, bulk }: Dataset): string[] {
  return recipe?.files ?? (bulk === null ? [] : [bulk])
}

/**
 * Returns the URL of the dataset's single file.
 * @throws {FileError} with instructions if a person must choose or download it.
 */
function directDownloadUrl(id: string, dataset: Dataset, file: string): string {
  const { bulk, source_url } = dataset
  const unavailable = (reason: string, step: string) => new FileError(`${reason} ${nextStepsOf(id, dataset, step)}`)
  if (bulk === null) throw unavailable(`The catalog has no download for ${id}.`, `find a file at ${source_url}`)
  if (captchaHosts.some((host) => bulk.includes(host)))
    throw unavailable(`${bulk} requires a captcha.`, 'download the file with a browser')
  const isPlain =
    bulk.startsWith('https://') &&
    URL.canParse(bulk) &&
    !/[{}[\]\s]/.test(bulk) &&
    !bulk.endsWith('/') &&
    !/\.(php|html?)$/i.test(bulk) &&
    !landingPages.test(bulk)
  if (!isPlain)
    throw unavailable(
      `${id} is not available as a single file.`,
      `download what you need from ${bulk} (see ${source_url})`,
    )
  if (/\.xlsx?$/i.test(bulk)) throw unavailable(`${bulk} is a spreadsheet, which is not supported.`, 'save it as CSV')
  if (file.includes('{level}'))
    throw unavailable(`The pack of ${id} has one raster per level.`, `download the levels you need from ${bulk}`)
  return bulk
}

/** What to do instead of downloading a single file. `step`: how a person gets a file. */
function nextStepsOf(id: string, dataset: Dataset, step: string): string {
  const build = `${step}, then run: fieldstone pack build ${id} <file>`
  return canCopyArea(dataset)
    ? `To copy the data of an area, name it, such as: fieldstone pack fetch ${id} --area "Boulder County, CO". Or ${build}`
    : `${step.charAt(0).toUpperCase()}${build.slice(1)}`
}

/** ScienceBase requires a captcha for large files. */
const captchaHosts = ['sciencebase.gov/catalog/file/get']
const landingPages = /gis-download$|\/catalog\/RDS-[\d-]+$/
