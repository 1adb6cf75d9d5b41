import type { Point } from '../../../src/model/place.ts'
import { jsonAnswer, type SimulatedService } from '../service.ts'
import { geographies } from './census-geographies.ts'
import { testPlaceAt } from './place-at.ts'
import { isGetOf, pointFromQuery } from './match-request.ts'

/** The Census geocoder: every layer of the current vintage at a coordinate. A layer may fail in a 200 response. */
export const censusGeocoder: SimulatedService = {
  host: 'geocoding.geo.census.gov',
  answer(request) {
    const at = pointFromQuery(request.query, 'y', 'x')
    if (!at || !isGetOf(request, '/geocoder/geographies/coordinates', { layers: 'all', format: 'json' })) return null
    if (request.query.get('benchmark') !== 'Public_AR_Current')
      return jsonAnswer({ errors: ['Specify a valid benchmark'], status: '400' }, 400)
    if (request.query.get('vintage') !== 'Current_Current')
      return jsonAnswer({ errors: ['Specify a valid vintage'], status: '400' }, 400)
    return jsonAnswer({ result: { input: inputOf(at), geographies: geographies(testPlaceAt(at)) } })
  },
}

function inputOf({ lat, lng }: Point) {
  return {
    location: { x: lng, y: lat },
    vintage: {
      isDefault: true,
      id: '4',
      vintageName: 'Current_Current',
      vintageDescription: 'Current Vintage - Current Benchmark',
    },
    benchmark: {
      isDefault: false,
      benchmarkDescription: 'Public Address Ranges - Current Benchmark',
      id: '4',
      benchmarkName: 'Public_AR_Current',
    },
  }
}
