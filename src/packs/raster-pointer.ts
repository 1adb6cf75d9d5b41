import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { PackError } from './pack-error.ts'
import { readRegularFile } from './regular-file.ts'

/**
 * A raster pack that is read from storage by range. A pointer file stands for it in the packs folder: the name of the
 * pack, and `.remote`. `version` identifies the version of the file.
 */
export const RasterPointer = Type.Object({
  name: Type.String(),
  version: Type.String(),
  size_bytes: Type.Integer({ minimum: 0 }),
})
export type RasterPointer = Static<typeof RasterPointer>

/** The extension that a pointer file adds to the name of its raster. */
export const pointerExtension = '.remote'
const maxPointer_bytes = 64 * 1024

/** Reads the pointer file of a raster. @throws PackError if it is damaged. */
export function readRasterPointer(folder: string, file: string): RasterPointer {
  const name = file + pointerExtension
  const content = readRegularFile(join(folder, name), maxPointer_bytes)
  const pointer = 'problem' in content ? null : parsePointer(content.bytes.toString('utf8'))
  if (pointer) return pointer
  throw new PackError(`${name} is damaged. Remove it: the server writes it again.`)
}

function parsePointer(text: string): RasterPointer | null {
  try {
    const value: unknown = JSON.parse(text)
    return Value.Check(RasterPointer, value) ? value : null
  } catch {
    return null
  }
}
