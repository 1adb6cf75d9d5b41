import { expect, test } from 'bun:test'
import { toDegreesOf } from '../../src/files/crs.ts'

const definition =
  'PROJCS["Zone 13",GEOGCS["NAD83",DATUM["North_American_Datum_1983",SPHEROID["GRS 1980",6378137,298.257222101]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",-105],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1]]'

test.each([
  ['a known code', 'EPSG:26913'],
  ['a definition', definition],
  ['an unknown code with its definition', `EPSG:999999 ${definition}`],
])('a coordinate system is read from %s', (_what, crs) => {
  // On the central meridian: the meridian arc of 4,401,760.7 m ends at 39.7499 degrees.
  const { lat, lng } = toDegreesOf(crs, 'The file')!(500_000, 4_400_000)
  expect([lat.toFixed(4), lng.toFixed(4)]).toEqual(['39.7499', '-105.0000'])
})

test.each(['EPSG:999999', 'EPSG:999999 a definition that is none'])('%s is unknown', (crs) =>
  expect(() => toDegreesOf(crs, 'The file')).toThrow('is in an unknown coordinate system'),
)
