import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { addressPackPattern } from '../packs/addresses/address-pack-folder.ts'
import { manifestName } from '../packs/pack-manifest.ts'
import { packPathPattern } from '../packs/part-files.ts'
import type { StoredFile } from './file-storage.ts'

const FileVersion = Type.Object({ name: Type.String(), version: Type.String(), size_bytes: Type.Integer() })
const EditionRecord = Type.Object({ pack: FileVersion, manifest: Type.Union([FileVersion, Type.Null()]) })

/** A pack in storage with its manifest, if it has one. */
export type PackEdition = Static<typeof EditionRecord>

/** The packs among the files of storage, by their path. */
export function editionsIn(files: readonly StoredFile[]): Map<string, PackEdition> {
  const byName = new Map(files.map((file) => [file.name, file]))
  const packs = files.filter(({ name }) => packPathPattern.test(name) || addressPackPattern.test(name))
  return new Map(packs.map((pack) => [pack.name, { pack, manifest: byName.get(manifestName(pack.name)) ?? null }]))
}

/** The file that lists the editions which were copied. */
const listName = 'editions.json'
const EditionList = Type.Record(Type.String(), EditionRecord)

/** The editions that were copied to a folder. Without the list, every pack is copied again. */
export function readKnownEditions(folder: string): Map<string, PackEdition> {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, listName), 'utf8'))
    return new Map(Value.Check(EditionList, value) ? Object.entries(value) : [])
  } catch {
    return new Map()
  }
}

/** Replaces the list of the editions that were copied. */
export function writeKnownEditions(folder: string, editions: ReadonlyMap<string, PackEdition>): void {
  const path = join(folder, listName)
  writeFileSync(`${path}.part`, JSON.stringify(Object.fromEntries(editions)), { mode: 0o600 })
  renameSync(`${path}.part`, path)
}
