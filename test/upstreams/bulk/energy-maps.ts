import { zipSync } from 'fflate'
import { testPlaces, type PlaceName } from '../test-places.ts'
import { bulkFiles } from './bulk-file.ts'
import { nad83, shapefileOf, squareAt, type DrawnShape, type ShapefileRow } from './shapefile.ts'

// Synthetic: where the features lie. Names of files, members and columns are those of the publishers.

/** EIA: maps of storage, terminals and shale plays. */
export const energyMaps = bulkFiles('www.eia.gov', {
  '/maps/map_data/NaturalGas_UndergroundStorage_US_EIA.zip': () =>
    archive('NaturalGas_UndergroundStorage_US_EIA_202012', [
      pointNear('kansas', 0.5, { Field: 'Made-up Field', Company: 'Made-up Gas', Status: 'Active' }),
    ]),
  '/maps/map_data/Lng_ImportExportTerminals_US_EIA.zip': () =>
    archive('LNG_ImportExportTerminals_US_EIA_202004', [
      pointNear('new_orleans', 0.8, { Facility: 'Made-up Pass', Functions: 'Export' }),
    ]),
  '/maps/map_data/TightOil_ShaleGas_Plays_Lower48_EIA.zip': () =>
    archive('TightOil_ShaleGas_Plays_Lower48_EIA', [
      areaAt('boulder', 0.2, { Shale_play: 'Made-up Codell', Area_sq_mi: 500 }),
      areaAt('boulder', 0.5, { Shale_play: 'Made-up Niobrara', Area_sq_mi: 5_560 }),
    ]),
})

/** EPA: the subregions of eGRID. */
export const egridMap = bulkFiles('www.epa.gov', {
  '/system/files/other-files/2025-01/egrid2023_subregions.zip': () =>
    archive('eGRID2023_Subregions', [
      areaAt('boulder', 0.5, { Subregion: 'RMPA' }),
      areaAt('miami_beach', 0.5, { Subregion: 'FRCC' }),
    ]),
})

function archive(name: string, shapes: DrawnShape[]): Uint8Array {
  return zipSync(shapefileOf(name, shapes, nad83))
}

function pointNear(place: PlaceName, east_degrees: number, row: ShapefileRow): DrawnShape {
  const { lat, lng } = testPlaces[place]
  return { kind: 'point', points: [[lng + east_degrees, lat]], row }
}

function areaAt(place: PlaceName, half: number, row: ShapefileRow): DrawnShape {
  return { kind: 'polygon', points: squareAt(testPlaces[place], half), row }
}
