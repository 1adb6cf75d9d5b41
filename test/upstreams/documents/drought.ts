import { jsonAnswer, textAnswer, type SimulatedService } from '../service.ts'
import { testPlaces, type PlaceName } from '../test-places.ts'

const day_ms = 86_400_000

/**
 * The Drought Monitor: a file for each Tuesday, out on the Thursday after. One area per class, each inside the one
 * below it.
 */
export const droughtMonitor: SimulatedService = {
  host: 'droughtmonitor.unl.edu',
  answer(request) {
    const day = /^\/data\/json\/usdm_(\d{4})(\d\d)(\d\d)\.json$/.exec(request.path)
    if (!day || request.method !== 'GET') return null
    const date = new Date(`${day[1]}-${day[2]}-${day[3]}T00:00:00Z`)
    if (date.getUTCDay() !== 2 || Date.now() < date.getTime() + 2 * day_ms)
      return textAnswer('<html><body>404 - File or directory not found.</body></html>', 'text/html', 404)
    const classes: [dm: number, places: PlaceName[]][] = [
      [0, ['boulder', 'paradise', 'kansas']],
      [1, ['boulder', 'paradise']],
      [2, ['boulder', 'paradise']],
      [3, ['paradise']],
      [4, []],
    ]
    const features = classes.map(([DM, names]) => ({
      type: 'Feature',
      properties: { OBJECTID: DM + 1, DM, Shape_Length: 1, Shape_Area: 1 },
      geometry: { type: 'MultiPolygon', coordinates: names.map((name) => [squareOf(name, 1 - DM / 10)]) },
    }))
    return jsonAnswer({ type: 'FeatureCollection', crs: { type: 'name', properties: { name: 'EPSG:4326' } }, features })
  },
}

function squareOf(name: PlaceName, half: number): [number, number][] {
  const { lat, lng } = testPlaces[name]
  return [
    [lng - half, lat - half],
    [lng + half, lat - half],
    [lng + half, lat + half],
    [lng - half, lat + half],
    [lng - half, lat - half],
  ]
}
