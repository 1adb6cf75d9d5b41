import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openEmbeddedData } from '../../src/packs/embedded-data.ts'
import { addPlainTable, createGeopackage } from '../packs/create-geopackage.ts'
import { blob, boxRing, pointWkb, polygonWkb } from '../packs/encode-wkb.ts'

const file = join(import.meta.dir, '..', '..', 'dist', 'embedded.gpkg')
const denver = { lat: 39.7392, lng: -104.9903 }
const holding = { at: denver, radius_m: 0, limit: 1 }
const nearest = { at: denver, radius_m: Infinity, limit: 3 }

test('while the embedded layers load, the event loop keeps running, and a query uses the same load', async () => {
  const embedded = openEmbeddedData(file)
  const reading = embedded.warm()
  let turns = 0
  const others = setInterval(() => turns++, 0)
  expect(embedded.isLoaded('counties')).toBe(false)
  expect(embedded.layer('counties').query(holding)[0]!.properties.NAME).toBe('Denver')
  const held = embedded.layer('counties')
  await embedded.prepare('airports', nearest)
  expect(embedded.prepare('airports', nearest)).toBeNull()
  const airports = embedded.layer('airports').query(nearest)
  expect(await reading).toBe(true)
  clearInterval(others)
  expect(turns).toBeGreaterThan(10)
  expect(embedded.layer('counties')).toBe(held)
  expect(embedded.layer('airports').query(nearest)).toEqual(airports)
  // The dictionary is read when a question first needs it.
  expect([...embedded.manifest.keys()].filter((name) => !embedded.isLoaded(name))).toEqual(['english_words'])
  embedded.close()
})

test('a condition is evaluated in steps if the caller waits, and at once otherwise', async () => {
  const embedded = openEmbeddedData(file)
  const towered = { ...nearest, where: 'TOWERED = 1' }
  const waiting = embedded.prepare('airports', towered)
  expect(waiting).not.toBeNull()
  const atOnce = embedded.layer('airports').query(towered)
  await waiting
  expect(embedded.prepare('airports', towered)).toBeNull()
  expect(embedded.layer('airports').query(towered)).toEqual(atOnce)
  expect(atOnce.map(({ properties }) => properties.TOWERED)).toEqual([1, 1, 1])
  embedded.close()
})

test('close() ends loading', async () => {
  const embedded = openEmbeddedData(file)
  const reading = embedded.warm()
  await Bun.sleep(0)
  embedded.close()
  expect(await reading).toBe(false)
})

test('a layer that cannot be read fails the warming and its own queries, and the others are loaded', async () => {
  const embedded = openEmbeddedData(withManifest(['areas', 'ghost']))
  expect(String(await embedded.warm().catch((error: unknown) => error))).toContain('The GeoPackage has no layer ghost')
  expect(String(await embedded.prepare('ghost', nearest)!.catch((error: unknown) => error))).toContain(
    'The GeoPackage has no layer ghost',
  )
  expect(() => embedded.layer('ghost')).toThrow('The GeoPackage has no layer ghost')
  expect(
    embedded
      .layer('areas')
      .query(holding)
      .map(({ properties }) => properties.NAME),
  ).toEqual(['area'])
  expect([embedded.isLoaded('areas'), embedded.isLoaded('ghost')]).toEqual([true, false])
  embedded.close()
})

/** A GeoPackage with an area around Denver and a manifest of these layers. */
function withManifest(layers: string[]): Uint8Array {
  const db = createGeopackage({
    areas: [
      { geom: blob(polygonWkb(boxRing(-106, 39, -104, 40))), attributes: { NAME: 'area' } },
      { geom: blob(pointWkb([-70, 45])), attributes: { NAME: 'point' } },
    ],
  })
  addPlainTable(
    db,
    'embedded_manifest',
    layers.map((layer) => ({ layer })),
  )
  return db.serialize()
}
