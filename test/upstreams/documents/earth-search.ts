import { jsonAnswer, type SimulatedService } from '../service.ts'
import { simulateSceneSearch } from './scenes.ts'

/** Where the pictures of the Earth Search scenes are kept. */
export const earthSearchFiles = 'e84-earth-search-sentinel-data.s3.us-west-2.amazonaws.com'

/**
 * Element84's Earth Search: the same scenes as public files, of Collection 1, which is all processed anew: every number
 * has 1000 added.
 */
export const earthSearch: SimulatedService = {
  host: 'earth-search.aws.element84.com',
  answer(request) {
    if (request.path !== '/v1/search') return null
    const found = simulateSceneSearch(request, 'sentinel-2-c1-l2a')
    if (!found) return jsonAnswer({ code: 'BadRequest', description: 'Invalid search' }, 400)
    const features = found.scenes.map((scene) => ({
      id: scene.id,
      type: 'Feature',
      collection: 'sentinel-2-c1-l2a',
      stac_version: '1.0.0',
      bbox: [],
      geometry: { type: 'Polygon', coordinates: [] },
      links: [],
      properties: {
        datetime: scene.date.toISOString(),
        'eo:cloud_cover': scene.cloud,
        's2:processing_baseline': Number(scene.baseline) < 5 ? '05.00' : scene.baseline,
        'earthsearch:boa_offset_applied': false,
        'grid:code': `MGRS-${scene.tile}`,
      },
      assets: Object.fromEntries(
        Object.entries(bands).map(([name, band]) => [
          name,
          {
            href: `https://${earthSearchFiles}/sentinel-2-c1-l2a/${scene.tile}/${scene.id}/${band}.tif`,
            type: 'image/tiff; application=geotiff; profile=cloud-optimized',
            'raster:bands':
              name === 'scl'
                ? [{ nodata: 0, data_type: 'uint8', spatial_resolution: 20 }]
                : [{ nodata: 0, data_type: 'uint16', scale: 0.0001, offset: -0.1, spatial_resolution: 10 }],
          },
        ]),
      ),
    }))
    return jsonAnswer({
      type: 'FeatureCollection',
      stac_version: '1.0.0',
      context: { limit: 10, returned: features.length },
      features,
      links: [],
    })
  },
}

const bands = { red: 'B04', nir: 'B08', scl: 'SCL' }
