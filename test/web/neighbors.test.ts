import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { feature, type Topology } from 'topojson-client'
import { readWater, waterByState } from '../../scripts/web/inland-water.ts'
import { nearCounties } from '../../scripts/web/near-counties.ts'
import { neighborCountries } from '../../scripts/web/neighbor-countries.ts'
import { parseGeoJsonGeometry } from '../../src/geo/geometry.ts'
import { geometryContains } from '../../src/geo/measure.ts'

const textOf = (file: string) => readFileSync(join(import.meta.dir, '../../node_modules', file), 'utf8')
const waterOf = (kind: string) => readWater(textOf(`@geo-maps/earth-${kind}/map.geo.json`))
const db = new Database(join(import.meta.dir, '../../dist/embedded.gpkg'), { readonly: true })
const far = [...waterByState([...waterOf('lakes-2km5'), ...waterOf('rivers-2km5')], db, 0.004).values()].flat()
const text = neighborCountries(textOf('world-atlas/countries-10m.json'), waterOf('lakes-2km5'), far)
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

test.each([
  ['Great Salt Lake', 41.2, -112.5, true],
  ['Lake Okeechobee', 26.95, -80.8, true],
  ['Lake Champlain', 44.6, -73.35, true],
  ['Denver', 39.74, -104.99, false],
])('zoomed out, %s (%d, %d) is inland water: %p', (_name, lat, lng, isWater) => {
  expect(shapesOf('inland').some((shape) => geometryContains(shape, { lat, lng }))).toBe(isWater)
})

const near = new Map(nearCounties(db, waterByState([...waterOf('lakes-100m'), ...waterOf('rivers-100m')], db, 2e-4)))
test.each([
  ['Lake Pontchartrain', '22', 30.2, -90.1, true],
  ['the Hudson at Tarrytown', '36', 41.08, -73.89, true],
  ['Lake Mead', '32', 36.1, -114.75, true],
  ['Lake Minnetonka', '27', 44.93, -93.58, true],
  ['Denver', '08', 39.74, -104.99, false],
])('zoomed in, %s in state %s (%d, %d) is water: %p', (_name, state, lat, lng, isWater) => {
  const { water } = JSON.parse(near.get(state)!) as { water: Topology }
  const { geometry } = feature(water, water.objects.water!) as unknown as { geometry: unknown }
  expect(geometryContains(parseGeoJsonGeometry(geometry), { lat, lng })).toBe(isWater)
})
