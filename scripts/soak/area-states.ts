import { stateAreasOf } from '../../test/areas/state-areas.ts'
import { embeddedGeopackage, openTestService } from '../../test/support/test-service.ts'
import type { Postgis } from '../bench/postgis.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

/** Compares the sum of the areas of the counties of each state with the area of their union in PostGIS. */
export async function compareStates(postgis: Postgis): Promise<Finding[]> {
  await postgis.load(embeddedGeopackage, 'counties')
  // EPSG:6933 has equal areas; its edges are cut to follow the degrees.
  const states = await postgis.rows<{ usps: string; union_m2: number }>(
    'SELECT stusps AS usps, ST_Area(ST_Transform(ST_Segmentize(ST_Union(ST_MakeValid(geom)), 0.01), 6933)) AS union_m2 FROM counties GROUP BY stusps',
  )
  const service = openTestService()
  await service.ready
  let worst = 0
  for (const { usps, union_m2 } of states) {
    const difference = Math.abs((await stateAreasOf(service.app, usps)).sum_m2 / union_m2 - 1)
    if (difference > differenceMax) console.error(`${usps}: the counties differ from the union by ${difference}`)
    worst = Math.max(worst, difference)
  }
  await service.close()
  return [
    atMost(
      'areas',
      'states: largest difference of the counties from the union of PostGIS, in millionths',
      worst / 1e-6,
      1,
    ),
    atLeast('areas', 'states and territories', states.length, 55),
  ]
}

const differenceMax = 1e-6
