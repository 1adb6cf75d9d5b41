import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { feature, type Topology } from 'topojson-client'
import { neighborCountries } from '../../scripts/web/neighbor-countries.ts'
import { parseGeoJsonGeometry } from '../../src/geo/geometry.ts'
import { geometryContains } from '../../src/geo/measure.ts'

const textOf = (file: string) => readFileSync(join(import.meta.dir, '../../node_modules', file), 'utf8')
const text = neighborCountries(
  textOf('world-atlas/countries-10m.json'),
  textOf('@geo-maps/earth-lakes-2km5/map.geo.json'),
)
const topology = JSON.parse(text) as Topology
const shapesOf = (name: string) =>
  feature(topology, topology.objects[name]!).features.map(({ geometry }) => parseGeoJsonGeometry(geometry))
const [shapes, lakes] = [shapesOf('neighbors'), shapesOf('lakes')]

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

test.each([
  ['Lake Superior', 48.2, -87.5, true],
  ['Georgian Bay', 45.3, -80.8, true],
  ['Lake Erie', 42.5, -81, true],
  ['Lake Ontario', 43.5, -79, true],
  ['Lake Winnipeg', 52.5, -97.5, true],
  ['Toronto', 43.7, -79.4, false],
  ['Manitoulin Island', 45.7, -82.3, false],
  ['Windsor', 42.28, -82.98, false],
  ['James Bay', 53, -80.5, false],
])('%s (%d, %d) is in a lake: %p', (_name, lat, lng, isInLake) => {
  expect(lakes.some((lake) => geometryContains(lake, { lat, lng }))).toBe(isInLake)
})

test('No shape crosses the antimeridian, where a map would draw it across the world', () => {
  for (const { geometry } of feature(topology, topology.objects.neighbors!).features) {
    const numbers = (geometry.coordinates as unknown[]).flat(3) as number[]
    expect(Math.max(...numbers.filter((_, i) => i % 2 === 0))).toBeLessThan(0)
  }
})
