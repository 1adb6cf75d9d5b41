import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { hasGdal, runOracle } from '../../cli/oracle.ts'
import { openPackFetchFixture, type PackFetchFixture } from './pack-fetch-fixture.ts'

if (!hasGdal) console.warn('GDAL is not installed (gdal-bin): skipping the comparison of projected shapefiles.')
const soon_ms = 60_000
/** In Hawaii GDAL shifts NAD83 to WGS 84 by two meters. We treat the two as equal. */
const datum_degrees = 2.5e-5
const lastYear = new Date().getUTCFullYear() - 1

describe.skipIf(!hasGdal)(
  "the features of a pack are at the same places as in the publisher's file, according to GDAL",
  () => {
    let fetching: PackFetchFixture
    beforeAll(() => {
      fetching = openPackFetchFixture()
    })
    afterAll(() => fetching?.close())

    const cases: [dataset: string, inside: string, file: string, layer: string][] = [
      [
        'noaa_spc_hail',
        `1955-${lastYear}-hail-aspath.zip/1955-${lastYear}-hail-aspath/1955-${lastYear}-hail-aspath.shp`,
        'spc_hail.gpkg',
        'noaa_spc_hail',
      ],
      ['usgs_karst', 'USKarstMap.zip/Shapefiles/Continguous48/Evaporites48.shp', 'usgs_karst.gpkg', 'Evaporites48'],
      [
        'census_tiger_coastline',
        'tl_2025_us_coastline.zip/tl_2025_us_coastline.shp',
        'census_coastline.gpkg',
        'coastline',
      ],
    ]
    test.each(cases)(
      '%s',
      async (dataset, inside, file, layer) => {
        expect((await fetching.pack(['fetch', dataset])).code).toBe(0)
        const theirs = await placesIn(['/vsizip/' + join(fetching.downloads, inside), '-t_srs', 'EPSG:4326'])
        const ours = await placesIn([join(fetching.packs, file), layer])
        expect(ours.length).toBe(theirs.length)
        expect(theirs.length).toBeGreaterThan(0)
        expect(
          ours.filter((place, i) => Math.hypot(place[0] - theirs[i]![0], place[1] - theirs[i]![1]) > datum_degrees),
        ).toEqual([])
      },
      soon_ms,
    )
  },
)

/** Every vertex as read by GDAL, sorted from west to east. */
async function placesIn(from: string[]): Promise<[number, number][]> {
  const { features } = JSON.parse(
    await runOracle(['ogr2ogr', '-f', 'GeoJSON', '/vsistdout/', ...from, '-lco', 'COORDINATE_PRECISION=9']),
  ) as { features: { geometry: { coordinates: unknown } }[] }
  return features
    .flatMap(({ geometry }) => pairsIn(geometry.coordinates))
    .toSorted((a, b) => a[0] - b[0] || a[1] - b[1])
}

function pairsIn(value: unknown): [number, number][] {
  if (!Array.isArray(value)) return []
  return typeof value[0] === 'number' ? [value as [number, number]] : value.flatMap(pairsIn)
}
