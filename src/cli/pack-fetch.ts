import { existsSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Dataset } from '../catalog/records.ts'
import { UpstreamError } from '../model/error.ts'
import { readBytesAt } from '../packs/import/byte-reader.ts'
import { PackError } from '../packs/pack-error.ts'
import { download } from './download.ts'
import { packBuild } from './pack-build.ts'
import type { PackFlags, PackTools } from './pack-tools.ts'
import { packTargets } from './pack-target.ts'
import { candidatesOf, type Candidate } from './pack-candidates.ts'
import { progressHere } from './progress.ts'

/** Far more than any file of a publisher, and less than would fill a disk unnoticed. */
const most_bytes = 64 * 1024 ** 3
const silence_ms = 60_000

/** Downloads the publisher's files of a dataset (going on where it ended the last time) and builds the pack of them. */
export async function packFetch(id: string, flags: PackFlags, tools: PackTools): Promise<number> {
  const { config, print } = tools
  const { dataset, file } = packTargets(id, typeof flags.layer === 'string' ? flags.layer : null, tools)[0]!
  const { recipe } = dataset
  const addresses = recipe?.files ?? [plainUrl(id, dataset, file)]
  if (config.offline) throw new PackError(`FIELDSTONE_OFFLINE=1: nothing is downloaded. Get ${addresses.join(' and ')} elsewhere and run: fieldstone pack build ${id} <the file>`)
  const got: Got[] = []
  for (const address of addresses) got.push(await firstOf(id, candidatesOf(address, new Date()), dataset, tools))
  for (const { path } of got) print(`${path} is there, of ${statSync(path).mtime.toISOString().slice(0, 10)}; remove it to have it downloaded anew.`)
  const edition = got.find(({ year }) => year !== null)?.year ?? dataset.vintage
  const said = { ...(recipe && edition !== undefined && { vintage: String(edition) }), ...(recipe?.complete && { coverage: everywhere }) }
  return packBuild(id, got.map(({ path }) => path), { ...said, ...flags }, tools)
}

const everywhere = '-180,-90,180,90'

type Got = { path: string; year: number | null }

/** The first of the files that the publisher has. */
async function firstOf(id: string, candidates: Candidate[], dataset: Dataset, tools: PackTools): Promise<Got> {
  for (const { url, year } of candidates) {
    const path = join(tools.config.data, 'downloads', nameOf(url, id))
    if (existsSync(path) || (await downloaded(id, url, path, dataset, tools))) return { path, year }
  }
  throw new PackError(`The publisher has none of ${candidates.map(({ url }) => url).join(', ')}. See ${dataset.source_url} for how it is called now, then run: fieldstone pack build ${id} <the file>`)
}

/** Whether the publisher has the file, which is then here. */
async function downloaded(id: string, url: string, path: string, dataset: Dataset, { config, catalog, version }: PackTools): Promise<boolean> {
  const progress = progressHere(basename(path))
  const hosts = new Set([...[...catalog.datasets.values()].flatMap(hostsIn), ...(dataset.recipe?.redirects ?? [])])
  // Some publishers (USGS, SPC) refuse what does not call itself Mozilla; who asks is said all the same.
  const userAgent = `Mozilla/5.0 (compatible; fieldstone/${version})`
  try {
    const isThere = await download(url, path, { mirror: config.mirror, hosts, userAgent, most_bytes, silence_ms, report: (done, bytes) => progress.at(done, `${(bytes / 1e6).toFixed(1)} MB`) })
    if (isThere) refusePage(id, url, path)
    return isThere
  } catch (error) {
    if (error instanceof UpstreamError) throw new PackError(`${error.message} The same command goes on where it ended; or get ${url} with a browser and run: fieldstone pack build ${id} <the file>`, { cause: error })
    throw error
  } finally {
    progress.end()
  }
}

function hostsIn({ bulk, recipe }: Dataset): string[] {
  return [...(recipe?.files ?? []), ...(bulk === null ? [] : [bulk])].flatMap((address) => /^https:\/\/([^/?#{}]+)/.exec(address)?.[1] ?? [])
}

/** A page that says it is a file is not kept, so that the next attempt asks anew. */
function refusePage(id: string, url: string, path: string): void {
  const begin = readBytesAt(path, 0, 256).toString('latin1').replace(/^[^!-~]+/, '')
  if (!/^<(!doctype html|html|head)/i.test(begin)) return
  rmSync(path)
  throw new PackError(`${url} gave a page rather than the file. Ask again later, or get it with a browser and run: fieldstone pack build ${id} <the file>`)
}

/** One file behind one address; what needs a choice or a person is refused with what to do. */
function plainUrl(id: string, { bulk, source_url }: Dataset, file: string): string {
  const then = `run: fieldstone pack build ${id} <the file>`
  if (bulk === null) throw new PackError(`The catalog knows no file of ${id} to download: see ${source_url}, then ${then}.`)
  if (needPerson.some((host) => bulk.includes(host))) throw new PackError(`${bulk} wants a person to answer a question before it gives the file: download it with a browser, then ${then}.`)
  const isPlain = bulk.startsWith('https://') && URL.canParse(bulk) && !/[{}[\]\s]/.test(bulk) && !bulk.endsWith('/') && !/\.(php|html?)$/i.test(bulk) && !pages.test(bulk)
  if (!isPlain) throw new PackError(`The data of ${id} is not one file behind one address: get what you need of ${bulk} (see ${source_url}), then ${then}.`)
  if (/\.xlsx?$/i.test(bulk)) throw new PackError(`${bulk} is a spreadsheet, which is not read: save it as CSV, then ${then}.`)
  if (file.includes('{level}')) throw new PackError(`The pack of ${id} is a raster for each level: get what you need of ${bulk}, then ${then}.`)
  return bulk
}

/** ScienceBase asks for a captcha before it gives a large file. */
const needPerson = ['sciencebase.gov/catalog/file/get']
const pages = /gis-download$|\/catalog\/RDS-[\d-]+$/

function nameOf(url: string, id: string): string {
  const name = basename(new URL(url).pathname).replaceAll(/[^\w.-]/g, '_')
  return /\.\w+$/.test(name) ? name : `${id}.download`
}
