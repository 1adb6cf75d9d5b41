import { zipSync } from 'fflate'
import { shapefileOf, type DrawnShape, type ShapefileProjection } from '../upstreams/bulk/shapefile.ts'

/** Returns a zipped shapefile in WGS 84 degrees, with one part for each feature. */
export function shapefileZip(name: string, shapes: DrawnShape[]): Uint8Array {
  return zipSync(shapefileOf(name, shapes, wgs84))
}

const wgs84: ShapefileProjection = {
  prj: 'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]',
  to: (at) => at,
}
