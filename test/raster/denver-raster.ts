import { buildGeotiff, type TiffSpec } from './build-geotiff.ts'

/** A raster of 200 by 200 cells of 0.001 degrees near Denver, by default of heights that rise to the southeast. */
export function denverRaster(cells: Partial<Pick<TiffSpec, 'type' | 'value'>> = {}): Uint8Array {
  return buildGeotiff({
    width: 200,
    height: 200,
    origin: [-105, 39.2],
    step: [0.001, -0.001],
    epsg: 4326,
    tile: 64,
    value: (x, y) => 1000 + 10 * x + 3 * y,
    ...cells,
  })
}
