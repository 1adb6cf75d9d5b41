import type { Point } from '../../../src/model/place.ts'
import { jsonAnswer, type SimulatedService } from '../service.ts'
import { testPlaces, type PlaceName } from '../test-places.ts'

const path = /^\/arcgis\/rest\/services\/dc_slr\/slr_(\d+)ft\/MapServer(?:\/(\d+|identify))?$/
const metersPerDegree = 111_320

/**
 * The rasters of the sea level rise viewer. Miami Beach goes under at three feet, San Juan at six; New Orleans never,
 * behind its levees. What is low but not connected to the sea is a layer of its own.
 */
export const seaLevel: SimulatedService = {
  host: 'coast.noaa.gov',
  answer({ path: requested, query }) {
    const [, feetText, part] = path.exec(requested) ?? []
    if (feetText === undefined) return null
    const feet = Number(feetText)
    // The order of the two is not to be relied upon: their names tell them apart.
    const layers = (feet % 2 === 1 ? ['Depth', 'Low-lying Areas'] : ['Low-lying Areas', 'Depth']).map((name, id) => ({
      id,
      name: `${feet}ft SLR ${name}`,
      parentLayerId: -1,
      subLayerIds: null,
      type: 'Raster Layer',
    }))
    if (part === undefined) return jsonAnswer({ currentVersion: 10.91, mapName: 'Layers', layers })
    if (part !== 'identify') return jsonAnswer(layers[Number(part)] ?? { error: { code: 400, message: 'No layer' } })
    const [lng, lat] = (query.get('geometry') ?? '').split(',').map(Number)
    const queried = layers.find(({ id }) => query.get('layers') === `all:${id}`)
    if (!queried || query.get('sr') !== '4326' || !query.has('mapExtent') || !query.has('imageDisplay'))
      return jsonAnswer({ error: { code: 400, message: 'Invalid or missing input parameters.' } })
    const isDepth = queried.name.endsWith('Depth')
    const isWet = isDepth ? isFlooded({ lat: lat!, lng: lng! }, feet) : isNear({ lat: lat!, lng: lng! }, 'new_orleans')
    const pixel = isWet ? '1.25' : 'NoData'
    const result = { layerId: queried.id, layerName: queried.name, displayFieldName: '', value: pixel }
    return jsonAnswer({ results: [{ ...result, attributes: { 'Stretch.Pixel Value': pixel } }] })
  },
}

function isFlooded(at: Point, feet: number): boolean {
  return (feet >= 3 && isNear(at, 'miami_beach')) || (feet >= 6 && isNear(at, 'san_juan'))
}

function isNear(at: Point, place: PlaceName): boolean {
  const { lat, lng } = testPlaces[place]
  return Math.max(Math.abs(at.lat - lat), Math.abs(at.lng - lng)) * metersPerDegree < 100
}
