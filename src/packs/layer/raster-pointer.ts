import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { FileError } from '../../files/file-error.ts'
import { readRegularFile } from '../check/regular-file.ts'

/** A file in storage. `version` is its ETag, or the time of its last change if the server sends no ETag. */
export const StorageFile = Type.Object({
  name: Type.String(),
  version: Type.String(),
  size_bytes: Type.Integer({ minimum: 0 }),
})
export type StorageFile = Static<typeof StorageFile>

/**
 * A raster in storage is read by range. A pointer file stands for it in the packs folder: this extension is added to
 * the name of the raster, and the content names the file in storage.
 */
export const pointerExtension = '.remote'
const maxPointer_bytes = 64 * 1024

/** Reads the pointer file of a raster. @throws FileError if it is damaged. */
export function readRasterPointer(folder: string, file: string): StorageFile {
  const name = file + pointerExtension
  const content = readRegularFile(join(folder, name), maxPointer_bytes)
  const pointer = 'problem' in content ? null : parsePointer(content.bytes.toString('utf8'))
  if (pointer) return pointer
  throw new FileError(`${name} is damaged. Remove it: the server writes it again.`)
}

function parsePointer(text: string): StorageFile | null {
  try {
    const value: unknown = JSON.parse(text)
    return Value.Check(StorageFile, value) ? value : null
  } catch {
    return null
  }
}
