import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPack, type BuildJob, type PackBuildResult } from '../../src/build-packs/build-pack.ts'
import type { Properties } from '../../src/model/source.ts'
import { partsOfBlob } from '../../src/files/wkb-parts.ts'
import type { GeometryPart } from '../../src/geo/text/wkb-write.ts'

/** A folder that is removed after the tests. */
export function workFolder(): {
  folder: string
  file(name: string, contents: string | Uint8Array): string
  remove(): void
} {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-import-'))
  return {
    folder,
    file(name, contents) {
      writeFileSync(join(folder, name), contents)
      return join(folder, name)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Builds a pack with a layer `shapes` that requires no attributes, unless the options say otherwise. */
export function buildTestPack(
  inputs: string[],
  folder: string,
  given: Partial<BuildJob> & { attributes?: string[]; keys?: string[][] } = {},
): Promise<PackBuildResult> {
  const { attributes = [], keys, ...rest } = given
  const work = mkdtempSync(join(folder, 'build-'))
  return buildPack(
    {
      inputs,
      folder: work,
      name: 'made.gpkg',
      existingPack: null,
      layer: 'shapes',
      crs: null,
      where: null,
      renames: [],
      numberColumn: null,
      keepWhole: false,
      source: { layer: null, lat: null, lng: null },
      recipe: {},
      constantColumns: {},
      requirements: {
        dataset: 'made_up',
        attributes,
        layers: keys ? [] : ['shapes'],
        needsPolygons: false,
        tables: keys ? [{ name: 'shapes', keys }] : [],
      },
      ...rest,
    },
    () => {},
  )
}

/** The features stored in a pack. */
export function featuresIn(path: string, layer = 'shapes'): { parts: GeometryPart[]; properties: Properties }[] {
  using db = new Database(path, { readonly: true })
  return db
    .query<Properties & { geom?: Uint8Array | null }, []>(`SELECT * FROM "${layer}" ORDER BY fid`)
    .all()
    .map(({ geom, ...row }) => ({ parts: partsOfBlob(geom ?? null), properties: without(row, 'fid') }))
}

function without(row: Properties, name: string): Properties {
  return Object.fromEntries(Object.entries(row).filter(([column]) => column !== name))
}
