import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { FeatureQuery } from '../../src/model/source.ts'
import { mapFile, openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { embeddedFile } from '../support/test-service.ts'

const denver = { lat: 39.7392, lng: -104.9903 }
const nearest = { at: denver, radius_m: Infinity, limit: 3 }

test('the layers answer from the mapped file and from its bytes alike, without any preparation', () => {
  const [mapped, read] = [embeddedFile, new Uint8Array(readFileSync(embeddedFile))].map(openEmbeddedData)
  const queries: [string, FeatureQuery][] = [
    ['counties', { at: denver, radius_m: 0, limit: 1 }],
    ['airports', nearest],
  ]
  for (const [name, query] of queries) {
    expect(mapped!.prepare(name, query)).toBeNull()
    expect(mapped!.layer(name).query(query)).not.toEqual([])
    expect(mapped!.layer(name).query(query)).toEqual(read!.layer(name).query(query))
  }
  expect(mapped!.grid('geoid').window(denver, 1)).toEqual(read!.grid('geoid').window(denver, 1))
})

test('a write to the mapped memory does not reach the file', () => {
  const mapped = mapFile(embeddedFile)
  const before = mapped[0]!
  mapped[0] = before + 1
  expect(readFileSync(embeddedFile)[0]).toBe(before)
})

test('a condition is evaluated in steps if the caller waits, and at once otherwise', async () => {
  const embedded = openEmbeddedData(embeddedFile)
  const towered = { ...nearest, where: 'TOWERED = 1' }
  const waiting = embedded.prepare('airports', towered)
  expect(waiting).not.toBeNull()
  const atOnce = embedded.layer('airports').query(towered)
  await waiting
  expect(embedded.prepare('airports', towered)).toBeNull()
  expect(embedded.layer('airports').query(towered)).toEqual(atOnce)
  expect(atOnce.map(({ properties }) => properties.TOWERED)).toEqual([1, 1, 1])
})

test('the edges of polygons are indexed in steps when what is near is first asked for', async () => {
  const embedded = openEmbeddedData(embeddedFile)
  const around = { at: denver, radius_m: 15_000 }
  const waiting = embedded.prepare('counties', around)
  let turns = 0
  const others = setInterval(() => turns++, 0)
  await waiting
  clearInterval(others)
  expect(turns).toBeGreaterThan(3)
  expect(embedded.prepare('counties', around)).toBeNull()
  const counties = embedded.layer('counties').query(around)
  expect(counties.map(({ properties }) => properties.NAME)).toEqual(['Denver', 'Arapahoe', 'Jefferson', 'Adams'])
})

test('a layer or grid that does not exist is an error that names those that do', () => {
  const embedded = openEmbeddedData(embeddedFile)
  expect(() => embedded.layer('ghost')).toThrow('The embedded data has no ghost. It has: counties, timezones,')
  expect(() => embedded.prepare('ghost', nearest)).toThrow('The embedded data has no ghost.')
  expect(() => embedded.grid('counties')).toThrow('The embedded data has no counties. It has: geoid.')
})
