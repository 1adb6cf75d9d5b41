import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { feature, type Topology } from 'topojson-client'
import { neighborCountries } from '../../scripts/web/neighbor-countries.ts'
import { parseGeoJsonGeometry } from '../../src/geo/geometry.ts'
import { geometryContains } from '../../src/geo/measure.ts'

const atlas = join(import.meta.dir, '../../node_modules/world-atlas/countries-10m.json')
const text = neighborCountries(readFileSync(atlas, 'utf8'))
const topology = JSON.parse(text) as Topology
const shapes = feature(topology, topology.objects.neighbors!).features.map(({ geometry }) =>
  parseGeoJsonGeometry(geometry),
)

test.each([
  ['Toronto', 43.7, -79.4, true],
  ['Winnipeg', 49.9, -97.1, true],
  ['Tijuana', 32.45, -116.95, true],
  ['Ciudad Juárez', 31.65, -106.45, true],
  ['Havana', 23.1, -82.4, true],
  ['Denver', 39.7, -105, false],
  ['El Paso', 31.85, -106.4, false],
  ['the Atlantic', 38, -70, false],
  ['Hudson Bay', 59, -85, false],
])('%s (%d, %d) is land of a neighbor of the US: %p', (_name, lat, lng, isLand) => {
  expect(shapes.some((shape) => geometryContains(shape, { lat, lng }))).toBe(isLand)
})

test('No shape crosses the antimeridian, where a map would draw it across the world', () => {
  for (const { geometry } of feature(topology, topology.objects.neighbors!).features) {
    const numbers = (geometry.coordinates as unknown[]).flat(3) as number[]
    expect(Math.max(...numbers.filter((_, i) => i % 2 === 0))).toBeLessThan(0)
  }
})
