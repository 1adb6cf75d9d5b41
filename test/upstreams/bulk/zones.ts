import { zipSync } from 'fflate'
import proj4 from 'proj4'
import { testPlaces } from '../test-places.ts'
import { bulkFiles } from './bulk-file.ts'
import {
  nad83,
  shapefileOf,
  squareAt,
  type DrawnShape,
  type ShapefileProjection,
  type ShapefileRow,
} from './shapefile.ts'

// Synthetic: where the areas lie. Names of files, members and columns, and the coordinate systems, are those of the
// publishers.

const honolulu = { lat: 21.3069, lng: -157.8583 }
const half = 0.2

/** USDA and PRISM: a shapefile for each part of the country, half-zones as `zone`. No zone is drawn at Paradise. */
const zonesOf = {
  us: { boulder: '6a', miami_beach: '11a', new_orleans: '9b', kansas: '6b', manhattan: '7b' },
  ak: { anchorage: '5a' },
  pr: { san_juan: '13a' },
}
export const hardinessZones = bulkFiles('prism.oregonstate.edu', {
  ...Object.fromEntries(
    Object.entries(zonesOf).map(([part, zones]) => [
      `/phzm/data/2023/phzm_${part}_zones_shp_2023.zip`,
      () =>
        phzm(
          part,
          Object.entries(zones).map(([name, zone]) => zoned(testPlaces[name as keyof typeof testPlaces], zone)),
        ),
    ]),
  ),
  '/phzm/data/2023/phzm_hi_zones_shp_2023.zip': () => phzm('hi', [zoned(honolulu, '12b')]),
})

function zoned(at: { lat: number; lng: number }, zone: string): DrawnShape {
  return {
    kind: 'polygon',
    points: squareAt(at, half),
    row: { Id: 1, gridcode: 61, zone, trange: '-10 to -5', zonetitle: `${zone}: -10 to -5` },
  }
}

function phzm(part: string, shapes: DrawnShape[]): Uint8Array {
  return zipSync(shapefileOf(`phzm_${part}_zones_shp_2023`, shapes, nad83))
}

/** EPA: the areas that were designated, in one shapefile of degrees. */
export const soleSourceAquifers = bulkFiles('edg.epa.gov', {
  '/data/public/OW/EPA_Sole_Source_Aquifers.zip': () =>
    zipSync(
      shapefileOf(
        'EPA_Sole_Source_Aquifers',
        [
          aquifer(testPlaces.miami_beach, 'Biscayne Aquifer SSA'),
          aquifer(testPlaces.new_orleans, 'Southern Hills Regional Aquifer SSA'),
        ],
        nad83,
      ),
    ),
})

function aquifer(at: { lat: number; lng: number }, SSA_NAME: string): DrawnShape {
  return { kind: 'polygon', points: squareAt(at, half), row: { SSA_NAME, SSA_ID: SSA_NAME.length } }
}

const albersText = '+proj=aea +lat_0=37 +lon_0=-96 +lat_1=25 +lat_2=50 +x_0=0 +y_0=0 +datum=NAD83 +units=m'
const albers: ShapefileProjection = {
  prj: 'PROJCS["USGS_Albers",GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Albers"],PARAMETER["False_Easting",0.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-96.0],PARAMETER["Standard_Parallel_1",25.0],PARAMETER["Standard_Parallel_2",50.0],PARAMETER["Latitude_Of_Origin",37.0],UNIT["Meter",1.0]]',
  to: (at) => proj4('+proj=longlat +datum=NAD83', albersText, at),
}

/** USGS: a shapefile for each kind of rock, in a folder whose name is misspelt. Volcanic rock and piping are pseudokarst. */
export const karst = bulkFiles(
  'pubs.usgs.gov',
  {
    '/of/2014/1156/downloads/USKarstMap.zip': () =>
      zipSync({
        ...rock('Continguous48/Carbonates48', testPlaces.miami_beach, { ROCKTYPE1: 'limestone', Exposure: 'E' }),
        ...rock('Continguous48/Evaporites48', testPlaces.kansas, { ROCKTYPE1: 'gypsum', Exposure: 'B1' }),
        ...rock('Continguous48/SandstoneKarst48', testPlaces.boulder, { ROCKTYPE1: 'sandstone', Exposure: 'E' }),
        ...rock('Continguous48/Volcanics48', testPlaces.paradise, { ROCKTYPE1: 'basalt' }),
        ...rock('Continguous48/Piping48', testPlaces.manhattan, { ROCKTYPE1: 'loess' }),
        ...rock('Alaska/AKcarbonates', testPlaces.anchorage, { ROCKTYPE1: 'limestone', Exposure: 'E' }),
      }),
  },
  { mozilla: true },
)

function rock(member: string, at: { lat: number; lng: number }, row: ShapefileRow): Record<string, Uint8Array> {
  return shapefileOf(`Shapefiles/${member}`, [{ kind: 'polygon', points: squareAt(at, half), row }], albers)
}

/** Census: shorelines in pieces, Great Lakes too. */
export const coastlineFile = bulkFiles('www2.census.gov', {
  '/geo/tiger/TIGER2025/COASTLINE/tl_2025_us_coastline.zip': () =>
    zipSync(
      shapefileOf(
        'tl_2025_us_coastline',
        [
          shore('Atlantic', [
            [-80.12, 25.6],
            [-80.12, 25.9],
          ]),
          shore('Atlantic', [
            [-73.9, 40.5],
            [-73.6, 40.6],
          ]),
          shore('Gulf', [
            [-90.2, 29.2],
            [-89.8, 29.1],
          ]),
          shore('Pacific', [
            [-124.2, 40.2],
            [-123.8, 39],
          ]),
          shore('Pacific', [
            [-150.2, 61.1],
            [-149.8, 61.3],
          ]),
          shore('Caribbean', [
            [-66.2, 18.47],
            [-66, 18.47],
          ]),
          shore('Great Lakes', [
            [-87.6, 41.6],
            [-87.5, 42],
          ]),
          shore('Pacific', [
            [-158, 21.25],
            [-157.7, 21.25],
          ]),
        ],
        nad83,
      ),
    ),
})

function shore(NAME: string, points: [number, number][]): DrawnShape {
  return { kind: 'line', points, row: { NAME, MTFCC: 'L4150' } }
}
