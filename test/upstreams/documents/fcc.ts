import { jsonAnswer, type SimulatedService } from '../service.ts'
import { facts } from './census-geographies.ts'
import { testPlaceAt } from './place-at.ts'
import { isGetOf, pointFromQuery } from './match-request.ts'

/** The Area API of the FCC: the 2020 block of a point, with its population. At sea and abroad `results` is empty. */
export const fccService: SimulatedService = {
  host: 'geo.fcc.gov',
  answer(request) {
    const at = pointFromQuery(request.query, 'lat', 'lon')
    if (!at || !isGetOf(request, '/api/census/area', { censusYear: '2020', format: 'json' })) return null
    const name = testPlaceAt(at)
    return jsonAnswer({
      input: { lat: at.lat, lon: at.lng, censusYear: '2020' },
      results: name ? [resultOf(facts[name])] : [],
    })
  },
}

// Synthetic: the population of the block is ours; Puerto Rico has the publisher's words for none.
function resultOf({ state, county, tract, block }: (typeof facts)[keyof typeof facts]) {
  const county_fips = state[0] + county[0]
  return {
    block_fips: county_fips + tract + block,
    bbox: [-1, -1, 1, 1],
    county_fips,
    county_name: county[1],
    state_fips: state[0],
    state_code: state[1],
    state_name: state[2],
    block_pop_2020: state[0] === '72' ? 'data unavailable' : 118,
    amt: 'AMT000',
    bea: 'BEA000',
    bta: 'BTA000',
    cma: 'CMA000',
  }
}
