import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Dataset } from '../catalog/entry.ts'
import { UpstreamError } from '../model/error.ts'
import { PackRefused } from '../packs/pack-refused.ts'
import { download } from './download.ts'
import { packBuild } from './pack-build.ts'
import type { PackFlags, PackTools } from './pack-tools.ts'
import { packTarget } from './pack-target.ts'
import { progressHere } from './progress.ts'

/** Far more than any file of a publisher, and less than would fill a disk unnoticed. */
const most_bytes = 64 * 1024 ** 3

/** Downloads the publisher's file of a dataset (going on where it ended the last time) and builds the pack of it. */
export async function packFetch(id: string, flags: PackFlags, tools: PackTools): Promise<number> {
  const { config, catalog, version, print } = tools
  const target = packTarget(id, typeof flags.layer === 'string' ? flags.layer : null, tools)
  const url = plainUrl(id, target.dataset, target.file)
  const path = join(config.data, 'downloads', nameOf(url, id))
  if (!existsSync(path)) {
    if (config.offline) throw new PackRefused(`FIELDSTONE_OFFLINE=1: nothing is downloaded. Get ${url} elsewhere and run: fieldstone pack build ${id} <the file>`)
    const progress = progressHere(basename(path))
    const hosts = new Set([...catalog.datasets.values()].flatMap(({ bulk }) => (bulk !== null && URL.canParse(bulk) ? [new URL(bulk).host] : [])))
    try {
      await download(url, path, { mirror: config.mirror, hosts, userAgent: `fieldstone/${version}`, most_bytes, report: (done, bytes) => progress.at(done, `${(bytes / 1e6).toFixed(1)} MB`), signal: new AbortController().signal })
    } catch (error) {
      if (error instanceof UpstreamError) throw new PackRefused(`${error.message} The same command goes on where it ended.`, { cause: error })
      throw error
    } finally {
      progress.end()
    }
  }
  print(`${path} is there, of ${statSync(path).mtime.toISOString().slice(0, 10)}; remove it to have it downloaded anew.`)
  return packBuild(id, [path], flags, tools)
}

/** One file behind one address; what needs a choice or a person is refused with what to do. */
function plainUrl(id: string, { bulk, source_url }: Dataset, file: string): string {
  const then = file.endsWith('.tif') ? `make ${file} of it and copy it into the packs folder` : `run: fieldstone pack build ${id} <the file>`
  if (file.endsWith('.tif')) throw new PackRefused(`${id} is served from a raster, which is not built here: get it from ${bulk ?? source_url}, then ${then}.`)
  if (bulk === null) throw new PackRefused(`The catalog knows no file of ${id} to download: see ${source_url}, then ${then}.`)
  if (needPerson.some((host) => bulk.includes(host))) throw new PackRefused(`${bulk} wants a person to answer a question before it gives the file: download it with a browser, then ${then}.`)
  const isPlain = bulk.startsWith('https://') && URL.canParse(bulk) && !/[{}[\]\s]/.test(bulk) && !bulk.endsWith('/') && !/\.(php|html?)$/i.test(bulk) && !pages.test(bulk)
  if (!isPlain) throw new PackRefused(`The data of ${id} is not one file behind one address: get what you need of ${bulk} (see ${source_url}), then ${then}.`)
  if (/\.xlsx?$/i.test(bulk)) throw new PackRefused(`${bulk} is a spreadsheet, which is not read: save it as CSV, then ${then}.`)
  return bulk
}

/** ScienceBase asks for a captcha before it gives a large file. */
const needPerson = ['sciencebase.gov/catalog/file/get']
const pages = /gis-download$|\/catalog\/RDS-[\d-]+$/

function nameOf(url: string, id: string): string {
  const name = basename(new URL(url).pathname).replaceAll(/[^\w.-]/g, '_')
  return /\.\w+$/.test(name) ? name : `${id}.download`
}
