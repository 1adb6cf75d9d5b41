import { readdirSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { namesIn } from '../files/small-files.ts'

/** The path of a pack file in the packs folder: `usfws_nwi.gpkg`, or `usfws_nwi/08013.gpkg` for a part. */
export const packPathPattern = /^(?:\w[\w-]*\/)?\w[\w.-]*\.(?:gpkg|tif)$/
/** The name of a folder of parts. */
export const partFolderPattern = /^\w[\w-]*$/

/** The folder of a part, such as `usfws_nwi` of `usfws_nwi/08013.gpkg`. Null for a pack in one file. */
export function partFolderOf(file: string): string | null {
  const slash = file.indexOf('/')
  return slash < 0 ? null : file.slice(0, slash)
}

/** The name of a pack: the file name without extension, or the folder of the part. */
export function packNameOf(file: string): string {
  return partFolderOf(file) ?? basename(file, extname(file))
}

/** The name of the pack file that a part replaces: `usfws_nwi.gpkg` for `usfws_nwi/08013.gpkg`. */
export function packFileOf(file: string): string {
  return `${packNameOf(file)}${extname(file)}`
}

/**
 * Whether a file of the packs folder is the pack file of a dataset or a part of it. The folder of the parts has the
 * name of the pack file without extension, or the id of the dataset.
 */
export function isPackOrPart(file: string, packFile: string, dataset: string): boolean {
  const isOfDataset = partFolderOf(file) === dataset && extname(file) === extname(packFile)
  return isOfDataset || packFileOf(file) === packFile
}

/**
 * The pack files in a folder and in the folders in it, by their paths in the folder. @throws Error of the file system
 */
export function listPackPaths(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      if (!partFolderPattern.test(entry.name) || entry.isFile()) return [entry.name]
      return namesIn(join(folder, entry.name)).map((name) => `${entry.name}/${name}`)
    })
    .filter((path) => packPathPattern.test(path))
    .toSorted()
}
