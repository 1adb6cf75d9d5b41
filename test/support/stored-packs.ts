import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { blob, boxRing, polygonWkb } from '../packs/encode-wkb.ts'
import { writePack } from '../packs/write-pack.ts'
import { buildGeotiff } from '../raster/build-geotiff.ts'
import { openTestService, type TestService, type TestServiceOptions } from './test-service.ts'

/** A place in all packs of this file. */
export const pointInPacks = { lat: 39.05, lng: -104.95 }

/** A GeoPackage with one wetland of a type around `pointInPacks`. */
export function wetlandPack(type: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'stored-pack-'))
  const square = {
    geom: blob(polygonWkb(boxRing(-105, 39, -104.9, 39.1))),
    attributes: { ATTRIBUTE: 'PFO1A', WETLAND_TYPE: type, ACRES: 2 },
  }
  const path = writePack(join(folder, 'usfws_nwi.gpkg')).layer('Wetlands', [square]).close()
  const bytes = readFileSync(path)
  rmSync(folder, { recursive: true })
  return bytes
}

/** A raster of heights in many tiles, with the same height everywhere. */
export function heightPack(height_m: number): Uint8Array {
  return buildGeotiff({
    width: 256,
    height: 256,
    origin: [-105.02, 39.12],
    step: [0.0005, -0.0005],
    epsg: 4326,
    tile: 64,
    headFirst: true,
    value: () => height_m,
  })
}

/** A service whose packs are in storage. No publisher answers it. */
export function openStorageService(environment: Record<string, string>, options?: TestServiceOptions): TestService {
  return openTestService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: 'http://127.0.0.1:1', ...environment }, options)
}

type FieldResult = FetchAnswer['fields'][string]

/** The results of fields at a place. */
export async function fieldsAt(
  service: TestService,
  fields: string[],
  at = pointInPacks,
): Promise<Record<string, FieldResult>> {
  const response = await service.post('/v1/fetch', { ...at, fields })
  if (response.status !== 200) throw new Error(await response.text())
  return ((await response.json()) as FetchAnswer).fields
}

/** Scans the storage and the local copies until no file is being checked. */
export async function syncPacks({ app }: TestService): Promise<void> {
  await app.packs.waitUntilChecked()
  await app.packs.waitUntilChecked()
}
