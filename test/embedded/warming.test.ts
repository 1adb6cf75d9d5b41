import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openEmbedded } from '../../src/packs/embedded.ts'
import { addPlainTable, geopackageOf } from '../packs/geopackage-of.ts'
import { blob, box, point, polygon } from '../packs/wkb-of.ts'

const file = join(import.meta.dir, '..', '..', 'dist', 'embedded.gpkg')
const denver = { lat: 39.7392, lng: -104.9903 }
const holding = { at: denver, radius_m: 0, limit: 1 }
const nearest = { at: denver, radius_m: Infinity, limit: 3 }

test('while the embedded layers are read the event loop goes round, and a question is answered from the same reading', async () => {
  const embedded = openEmbedded(file)
  const reading = embedded.warm()
  let turns = 0
  const others = setInterval(() => turns++, 0)
  expect(embedded.warmed('counties')).toBe(false)
  expect(embedded.layer('counties').near(holding)[0]!.properties.NAME).toBe('Denver')
  const held = embedded.layer('counties')
  await embedded.ready('airports', nearest)
  expect(embedded.ready('airports', nearest)).toBeNull()
  const airports = embedded.layer('airports').near(nearest)
  expect(await reading).toBe(true)
  clearInterval(others)
  expect(turns).toBeGreaterThan(10)
  expect(embedded.layer('counties')).toBe(held)
  expect(embedded.layer('airports').near(nearest)).toEqual(airports)
  expect([...embedded.manifest.keys()].filter((name) => !embedded.warmed(name))).toEqual([])
  embedded.close()
})

test('a condition is asked of a layer with breaths between for who waits, and at once for who does not', async () => {
  const embedded = openEmbedded(file)
  const towered = { ...nearest, where: 'TOWERED = 1' }
  const waiting = embedded.ready('airports', towered)
  expect(waiting).not.toBeNull()
  const atOnce = embedded.layer('airports').near(towered)
  await waiting
  expect(embedded.ready('airports', towered)).toBeNull()
  expect(embedded.layer('airports').near(towered)).toEqual(atOnce)
  expect(atOnce.map(({ properties }) => properties.TOWERED)).toEqual([1, 1, 1])
  embedded.close()
})

test('closed in the middle of it, reading ends', async () => {
  const embedded = openEmbedded(file)
  const reading = embedded.warm()
  await Bun.sleep(0)
  embedded.close()
  expect(await reading).toBe(false)
})

test('a layer that cannot be read is told to who reads everything and to who asks, and the others are read', async () => {
  const embedded = openEmbedded(withManifest(['areas', 'ghost']))
  expect(String(await embedded.warm().catch((error: unknown) => error))).toContain('There is no layer ghost')
  expect(String(await embedded.ready('ghost', nearest)!.catch((error: unknown) => error))).toContain('There is no layer ghost')
  expect(() => embedded.layer('ghost')).toThrow('There is no layer ghost')
  expect(embedded.layer('areas').near(holding).map(({ properties }) => properties.NAME)).toEqual(['area'])
  expect([embedded.warmed('areas'), embedded.warmed('ghost')]).toEqual([true, false])
  embedded.close()
})

/** The bytes of a GeoPackage with an area round Denver, that says it has these layers. */
function withManifest(layers: string[]): Uint8Array {
  const db = geopackageOf({ areas: [{ geom: blob(polygon(box(-106, 39, -104, 40))), attributes: { NAME: 'area' } }, { geom: blob(point([-70, 45])), attributes: { NAME: 'point' } }] })
  addPlainTable(db, 'embedded_manifest', layers.map((layer) => ({ layer })))
  return db.serialize()
}
