import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { PackRefused } from '../pack-refused.ts'
import { bilToGeotiff } from './bil.ts'
import { bytesAt } from './bytes.ts'
import { tellKeys } from './geotiff-write.ts'
import { unzipped, zipEntries, type ZipEntry } from './zip.ts'

/** A raster in a publisher's file, by its name without the ending; `write` puts it somewhere as a GeoTIFF. */
export type RasterInput = { name: string; from: string; write(to: string, folder: string): Promise<void> }

/** The rasters in a file: a GeoTIFF, bare cells, or an archive of those. Refuses what has none. */
export function rastersIn(path: string): RasterInput[] {
  const name = basename(path)
  if (!existsSync(path)) throw new PackRefused(`There is no file ${path}.`)
  const head = bytesAt(path, 0, 4).toString('latin1')
  if (head.startsWith('PK\x03\x04')) return inArchive(path, name)
  if (/\.bil$/i.test(name)) return [{ name: basename(path, extname(path)), from: name, write: (to) => bilToGeotiff(path, to, name) }]
  if (!tiffs.has(head)) throw new PackRefused(`${name} begins with the bytes ${bytesAt(path, 0, 8).toString('hex')}, and the dataset is served from a raster: ${wanted} was expected.`)
  return [{ name: basename(path, extname(path)), from: name, write: (to) => copyFile(path, to) }]
}

/** Has a raster say its true coordinate system by these keys, where the publisher's file says another. */
export function corrected(raster: RasterInput, keys: Readonly<Record<string, number>> | undefined): RasterInput {
  if (keys === undefined) return raster
  return {
    ...raster,
    async write(to, folder) {
      await raster.write(to, folder)
      tellKeys(to, keys, raster.from)
    },
  }
}

const wanted = 'a GeoTIFF, a .bil with its .hdr, or a ZIP archive of them'
const tiffs = new Set(['II*\0', 'MM\0*', 'II+\0', 'MM\0+'])

function inArchive(path: string, name: string): RasterInput[] {
  const entries = zipEntries(path, name)
  const found = entries.filter((entry) => /\.(tiff?|bil)$/i.test(entry.path))
  if (found.length === 0) throw new PackRefused(`${name} has no raster; ${wanted} was expected. It has ${entries.slice(0, 20).map((entry) => entry.path).join(', ') || 'nothing'}.`)
  return found.map((entry) => ({ name: entry.name, from: `${entry.path} in ${name}`, write: (to, folder) => unpackedTo(to, { path, name, folder }, entry, entries) }))
}

async function unpackedTo(to: string, { path, name, folder }: { path: string; name: string; folder: string }, entry: ZipEntry, entries: ZipEntry[]): Promise<void> {
  const into = join(folder, `unzipped-${Bun.hash(`${path} ${entry.path}`).toString(36)}`)
  mkdirSync(into, { recursive: true })
  const isBare = /\.bil$/i.test(entry.path)
  const stem = entry.path.replace(/\.\w+$/, '').toLowerCase()
  const needed = isBare ? entries.filter((it) => it === entry || [`${stem}.hdr`, `${stem}.prj`].includes(it.path.toLowerCase())) : [entry]
  const paths = await unzipped(path, needed, into, name)
  const main = paths[needed.indexOf(entry)]!
  if (isBare) await bilToGeotiff(main, to, basename(main))
  else renameSync(main, to)
}
