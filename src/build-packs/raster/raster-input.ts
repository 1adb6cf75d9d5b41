import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { FileError } from '../../files/file-error.ts'
import { extractZipEntries, readZipEntries } from '../../files/zip/extract-zip.ts'
import type { ZipEntry } from '../../files/zip/zip.ts'
import { convertBilToGeotiff } from './bil.ts'
import { readBytesAt } from '../../files/byte-reader.ts'
import { writeGeoKeys } from '../../files/geotiff-writer.ts'

/** A raster in a publisher's file. `name` has no extension. `bytes`: its size. `write` converts it to a GeoTIFF. */
export type RasterInput = {
  name: string
  origin: string
  bytes: number
  write(to: string, folder: string): Promise<void>
}

/** Lists the rasters in a GeoTIFF, a raw raster, or an archive of these. @throws FileError if there are none. */
export async function findRasters(path: string): Promise<RasterInput[]> {
  const name = basename(path)
  if (!existsSync(path)) throw new FileError(`The file ${path} does not exist.`)
  const head = readBytesAt(path, 0, 4).toString('latin1')
  if (head.startsWith('PK\x03\x04')) return rastersInArchive(path, name)
  const file = { name: basename(path, extname(path)), origin: name, bytes: statSync(path).size }
  if (/\.bil$/i.test(name)) return [{ ...file, write: (to) => convertBilToGeotiff(path, to, name) }]
  if (!tiffSignatures.has(head))
    throw new FileError(
      `${name} starts with the bytes ${readBytesAt(path, 0, 8).toString('hex')}, but the dataset needs a raster. Expected ${supportedFormats}.`,
    )
  requireNoMaskBeside(path)
  return [{ ...file, write: (to) => copyFile(path, to) }]
}

/** GDAL writes the mask of a raster into a second file, unless the mask is said to be internal. */
function requireNoMaskBeside(path: string): void {
  const mask = ['.msk', '.MSK'].map((extension) => `${path}${extension}`).find((it) => existsSync(it))
  if (mask === undefined) return
  throw new FileError(
    `The mask of ${basename(path)} is in a file of its own, ${basename(mask)}, which a pack cannot have. To put it into the raster, run gdal_translate --config GDAL_TIFF_INTERNAL_MASK YES -co COMPRESS=DEFLATE -co TILED=YES <file> <new file>.`,
  )
}

/** Corrects the coordinate system of a raster whose publisher declares a wrong one. */
export function withGeoKeys(raster: RasterInput, keys: Readonly<Record<string, number>> | undefined): RasterInput {
  if (keys === undefined) return raster
  return {
    ...raster,
    async write(to, folder) {
      await raster.write(to, folder)
      writeGeoKeys(to, keys, raster.origin)
    },
  }
}

const supportedFormats = 'a GeoTIFF, a .bil with its .hdr, or a ZIP archive of them'
const tiffSignatures = new Set(['II*\0', 'MM\0*', 'II+\0', 'MM\0+'])

async function rastersInArchive(path: string, name: string): Promise<RasterInput[]> {
  const entries = await readZipEntries(path)
  const found = entries.filter((entry) => /\.(tiff?|bil)$/i.test(entry.path))
  if (found.length === 0)
    throw new FileError(
      `${name} contains no raster. Expected ${supportedFormats}. It contains ${
        entries
          .slice(0, 20)
          .map((entry) => entry.path)
          .join(', ') || 'nothing'
      }.`,
    )
  return found.map((entry) => ({
    name: entry.name,
    origin: `${entry.path} in ${name}`,
    bytes: entry.size,
    write: (to, folder) => extractRaster(to, { path, name, folder }, entry, entries),
  }))
}

async function extractRaster(
  to: string,
  { path, name, folder }: { path: string; name: string; folder: string },
  entry: ZipEntry,
  entries: ZipEntry[],
): Promise<void> {
  const targetFolder = join(folder, `unzipped-${Bun.hash(`${path} ${entry.path}`).toString(36)}`)
  mkdirSync(targetFolder, { recursive: true })
  const isBil = /\.bil$/i.test(entry.path)
  const stem = entry.path.replace(/\.\w+$/, '').toLowerCase()
  const needed = isBil
    ? entries.filter((it) => it === entry || [`${stem}.hdr`, `${stem}.prj`].includes(it.path.toLowerCase()))
    : [entry]
  const paths = await extractZipEntries(path, needed, targetFolder, name)
  const main = paths[needed.indexOf(entry)]!
  if (isBil) await convertBilToGeotiff(main, to, basename(main))
  else renameSync(main, to)
}
