import { zipSync } from 'fflate'
import proj4 from 'proj4'
import { buildGeotiff } from '../../raster/build-geotiff.ts'
import { testPlaces } from '../test-places.ts'
import type { SimulatedService } from '../service.ts'
import { bulkFiles, missingFileService } from './bulk-file.ts'

// Synthetic: what the cells say, and how large they are. Names, formats, systems, units and sentinels are those of the
// publishers.

type At = { lat: number; lng: number }

/** Degrees Fahrenheit, warmer toward the south; no data at Paradise. */
export function coldestAt({ lat, lng }: At): number {
  return lng < -121.3 && lng > -124 && lat < 45 ? -9999 : Math.fround(65 - 1.5 * (lat - 18))
}

/** USDA and PRISM: bare cells of four bytes, the middle of the first one in the header. */
export const coldestGrids = bulkFiles('prism.oregonstate.edu', {
  '/phzm/data/2023/phzm_us_grid_2023.zip': () => bil('us', { lat: 49.5, lng: -124.5 }, { lat: 24.5, lng: -66.5 }),
  '/phzm/data/2023/phzm_ak_grid_2023.zip': () => bil('ak', { lat: 71, lng: -170 }, { lat: 52, lng: -130 }),
  '/phzm/data/2023/phzm_hi_grid_2023.zip': () => bil('hi', { lat: 22.5, lng: -160 }, { lat: 18.5, lng: -154.5 }),
  '/phzm/data/2023/phzm_pr_grid_2023.zip': () => bil('pr', { lat: 18.75, lng: -67.5 }, { lat: 17.75, lng: -65 }),
})

const step = 0.25

function bil(part: string, first: At, last: At): Uint8Array {
  const [columns, rows] = [Math.round((last.lng - first.lng) / step) + 1, Math.round((first.lat - last.lat) / step) + 1]
  const cells = new DataView(new ArrayBuffer(columns * rows * 4))
  for (let i = 0; i < columns * rows; i++)
    cells.setFloat32(
      i * 4,
      coldestAt({ lat: first.lat - Math.floor(i / columns) * step, lng: first.lng + (i % columns) * step }),
      true,
    )
  const header = {
    BYTEORDER: 'I',
    LAYOUT: 'BIL',
    NROWS: rows,
    NCOLS: columns,
    NBANDS: 1,
    NBITS: 32,
    BANDROWBYTES: columns * 4,
    TOTALROWBYTES: columns * 4,
    PIXELTYPE: 'FLOAT',
    ULXMAP: first.lng,
    ULYMAP: first.lat,
    XDIM: step,
    YDIM: step,
    NODATA: -9999,
  }
  const text = (value: string) => new TextEncoder().encode(value)
  return zipSync({
    [`phzm_${part}_grid_2023.bil`]: new Uint8Array(cells.buffer),
    [`phzm_${part}_grid_2023.hdr`]: text(
      Object.entries(header)
        .map(([word, value]) => `${word.padEnd(14)} ${value}\r\n`)
        .join(''),
    ),
    [`phzm_${part}_grid_2023.prj`]: text(
      'GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]\n',
    ),
    [`phzm_${part}_grid_2023.stx`]: text('1 -60.2 76.1\n'),
  })
}

/** Feet above the ground, by the weakest category that floods: 99 behind levees, 255 where it stays dry. */
const floods: { at: At; category: number; feet: number }[] = [
  { at: testPlaces.miami_beach, category: 2, feet: 3 },
  { at: testPlaces.new_orleans, category: 1, feet: 99 },
  { at: testPlaces.manhattan, category: 4, feet: 1 },
  { at: testPlaces.san_juan, category: 5, feet: 6 },
]

/** NHC: a raster for each category, with files beside it that are none. */
export const surge = bulkFiles('www.nhc.noaa.gov', {
  '/gis/hazardmaps/US_SLOSH_MOM_Inundation_v4.zip': () =>
    surgeZip(
      'US_SLOSH_MOM_Inundation_v4/us_Category{}_MOM_Inundation_HIGH',
      { lat: 45, lng: -98 },
      { lat: 24, lng: -66 },
    ),
  '/gis/hazardmaps/PR_SLOSH_MOM_Inundation.zip': () =>
    surgeZip(
      'PR_SLOSH_MOM_Inundation/PR_Category{}_MOM_Inundation_HighTide',
      { lat: 18.6, lng: -67.4 },
      { lat: 17.8, lng: -65 },
    ),
})

function surgeZip(name: string, northWest: At, southEast: At): Uint8Array {
  const cell = 0.05
  return zipSync(
    Object.fromEntries(
      [1, 2, 3, 4, 5].flatMap((category) => {
        const raster = buildGeotiff({
          width: Math.round((southEast.lng - northWest.lng) / cell),
          height: Math.round((northWest.lat - southEast.lat) / cell),
          tile: 128,
          type: 'uint8',
          compression: 'lzw',
          nodata: '255',
          epsg: 4326,
          origin: [northWest.lng, northWest.lat],
          step: [cell, -cell],
          value: (x, y) => {
            const [lat, lng] = [northWest.lat - (y + 0.5) * cell, northWest.lng + (x + 0.5) * cell]
            const wet = floods.find(
              ({ at, category: weakest }) =>
                weakest <= category && Math.abs(at.lat - lat) < 2 * cell && Math.abs(at.lng - lng) < 2 * cell,
            )
            return wet ? wet.feet : 255
          },
        })
        const path = name.replace('{}', String(category))
        return [
          [`${path}.tif`, raster],
          [`${path}.tif.ovr`, Uint8Array.of(1)],
          [`${path}.tfw`, new TextEncoder().encode(`${cell}\n`)],
        ]
      }),
    ),
  )
}

const lambertText = '+proj=lcc +lat_0=40 +lon_0=-96 +lat_1=20 +lat_2=60 +datum=NAD83 +units=m'
const heights = [10, 40, 60, 80, 100, 120, 140, 160, 200]

/** The mean wind at a place: a plane over the plane of the file, so that between cells it is what lies between them. */
export function windAt(at: At, height: number): number {
  const [x, y] = proj4('+proj=longlat +datum=NAD83', lambertText, [at.lng, at.lat]) as [number, number]
  return windOf(x, y, height)
}

function windOf(x: number, y: number, height: number): number {
  return 6 + height / 100 + x / 2_000_000 + y / 4_000_000
}

/** Mean daily irradiation at a place in kWh/m2, a little more of it direct than global. */
export function sunAt({ lat }: At, kind: 'ghi' | 'dni'): number {
  return Math.fround((kind === 'dni' ? 9 : 8.5) - lat / 10)
}

/**
 * NLR: a raster of wind for each height, which says degrees and lies in metres of a cone, its first row in the south;
 * a raster of the sun for global and for direct irradiation.
 */
export const windAndSun = bulkFiles('www.nlr.gov', {
  '/docs/libraries/gis/nsrdbv3_ghi.zip': () => sunZip('ghi'),
  '/docs/libraries/gis/nsrdbv3_dni.zip': () => sunZip('dni'),
  '/docs/libraries/gis/us-wind-data.zip': () =>
    zipSync(
      Object.fromEntries(
        heights.map((height) => [`us-wind-data/wtk_conus_${height}m_mean_masked.tif`, windRaster(height)]),
      ),
    ),
})

function sunZip(kind: 'ghi' | 'dni'): Uint8Array {
  const [west, north, cell] = [-179, 60, 0.25]
  const raster = buildGeotiff({
    width: 460,
    height: 170,
    strip: 4,
    type: 'float32',
    nodata: 'nan',
    epsg: 4326,
    origin: [west, north],
    step: [cell, -cell],
    value: (_x, y) => sunAt({ lat: north - (y + 0.5) * cell, lng: 0 }, kind),
  })
  return zipSync({ [`nsrdb3_${kind}/nsrdb3_${kind}.tif`]: raster })
}

function windRaster(height: number): Uint8Array {
  const [west, south, cell] = [-2_600_000, -1_750_000, 50_000]
  return buildGeotiff({
    width: 104,
    height: 68,
    strip: 4,
    type: 'float64',
    nodata: '0',
    epsg: 4326,
    origin: [west, south],
    step: [cell, cell],
    value: (x, y) => windOf(west + (x + 0.5) * cell, south + (y + 0.5) * cell, height),
  })
}

/** Wind power density: one value for the country, no data in Kansas. */
export function powerAt({ lat, lng }: At): number {
  return Math.abs(lat - testPlaces.kansas.lat) < 1 && Math.abs(lng - testPlaces.kansas.lng) < 1
    ? NaN
    : 300 + 4 * lat + lng
}

/** DTU: an address that leads to another host. */
export const windAtlasFiles: SimulatedService[] = [
  {
    host: 'globalwindatlas.info',
    answer: ({ path }) =>
      path === '/api/gis/country/USA/power-density/100'
        ? {
            status: 302,
            headers: { location: 'https://gwa.cdn.nazkamapps.com/country_tifs_v4/USA_power-density_100m.tif' },
            body: '',
          }
        : null,
  },
  bulkFiles(
    'gwa.cdn.nazkamapps.com',
    { '/country_tifs_v4/USA_power-density_100m.tif': powerRaster },
    { type: 'image/tiff' },
  ),
]

function powerRaster(): Uint8Array {
  const cell = 0.25
  return buildGeotiff({
    width: 480,
    height: 220,
    tile: 256,
    type: 'float32',
    compression: 'deflate',
    predictor: 3,
    nodata: 'nan',
    epsg: 4326,
    origin: [-180, 72],
    step: [cell, -cell],
    value: (x, y) => powerAt({ lat: 72 - (y + 0.5) * cell, lng: -180 + (x + 0.5) * cell }),
  })
}

/** The newest year of which MRLC has the files. */
const mrlcYear = new Date().getUTCFullYear() - 2

/** How much of the ground is sealed, in percent; 250 is no data. */
const sealed: CodeAt[] = [
  { at: testPlaces.manhattan, code: 97 },
  { at: testPlaces.boulder, code: 42 },
  { at: testPlaces.paradise, code: 250 },
]
/** The class of the land: developed, or evergreen forest. */
const landCover: CodeAt[] = [
  { at: testPlaces.manhattan, code: 24 },
  { at: testPlaces.boulder, code: 42 },
]
type CodeAt = { at: At; code: number }
const albersText = '+proj=aea +lat_0=23 +lon_0=-96 +lat_1=29.5 +lat_2=45.5 +x_0=0 +y_0=0 +datum=WGS84 +units=m'

export const annualLandCover = [
  bulkFiles('www.mrlc.gov', {
    ...mrlcBundle('FctImp', () => mrlcRaster(sealed, 1)),
    ...mrlcBundle('LndCov', () => mrlcRaster(landCover, 82)),
  }),
  missingFileService('www.mrlc.gov', /^\/downloads\/sciweb1\/shared\/mrlc\/data-bundles\//),
]

function mrlcBundle(product: string, raster: () => Uint8Array): Record<string, () => Uint8Array> {
  const name = `Annual_NLCD_${product}_${mrlcYear}_CU_C1V1`
  const metadata = new TextEncoder().encode('<metadata/>')
  return {
    [`/downloads/sciweb1/shared/mrlc/data-bundles/${name}.zip`]: () =>
      zipSync({ [`${name}.tif`]: raster(), [`${name}.xml`]: metadata }),
  }
}

function mrlcRaster(codes: CodeAt[], otherwise: number): Uint8Array {
  const [west, north, cell] = [-2_415_585, 3_314_805, 15_000]
  const centres = codes.map(({ at, code }) => ({ code, at: proj4('EPSG:4326', albersText, [at.lng, at.lat]) }))
  // The publisher's own plane, key by key: Albers on WGS 84.
  return buildGeotiff({
    width: 320,
    height: 210,
    tile: 128,
    type: 'uint8',
    compression: 'deflate',
    nodata: '250',
    epsg: 0,
    origin: [west, north],
    step: [cell, -cell],
    keys: {
      1024: 1,
      2048: 4326,
      3072: 32_767,
      3074: 32_767,
      3075: 11,
      3076: 9001,
      3078: [29.5],
      3079: [45.5],
      3080: [-96],
      3081: [23],
      3082: [0],
      3083: [0],
    },
    value: (x, y) =>
      centres.find(
        ({ at }) => Math.hypot(at[0]! - (west + (x + 0.5) * cell), at[1]! - (north - (y + 0.5) * cell)) < 2 * cell,
      )?.code ?? otherwise,
  })
}
