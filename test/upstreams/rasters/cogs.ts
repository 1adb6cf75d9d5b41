import proj4 from 'proj4'
import { buildGeotiff } from '../../raster/build-geotiff.ts'
import type { ReceivedRequest, ServiceAnswer, SimulatedService } from '../service.ts'
import { testPlaceAt } from '../documents/place-at.ts'
import { earthSearchFiles } from '../documents/earth-search.ts'
import { scenesAt, type TestScene } from '../documents/scenes.ts'
import { testPlaces, type PlaceName } from '../test-places.ts'
import { albers } from './cropscape.ts'
import { cacheFiles, noSuchKey, answerRange } from './files.ts'
import { planeAt } from './terrain.ts'

// Synthetic: what the cells say. Names, systems, cell sizes and sentinels are those of the publishers; most tiles of a
// file are left out.

/** The elevation tiles of the USGS, one for each place. */
export const elevationTiles = files('prd-tnm.s3.amazonaws.com', (path) => {
  const tile = /^\/StagedProducts\/Elevation\/13\/TIFF\/current\/(n(\d\d)w(\d{3}))\/USGS_13_\1\.tif$/.exec(path)
  const name = tile
    ? placeNames.find(
        (one) =>
          testPlaces[one].lat > Number(tile[2]) - 1 &&
          testPlaces[one].lat <= Number(tile[2]) &&
          testPlaces[one].lng >= -Number(tile[3]) &&
          testPlaces[one].lng < 1 - Number(tile[3]),
      )
    : undefined
  if (name) return elevationTile(name, Number(tile![2]), -Number(tile![3]))
  const isNeighbor = tile && hasPlaceNear(Number(tile[2]), -Number(tile[3]))
  return isNeighbor ? emptyElevationTile(Number(tile[2]), -Number(tile[3])) : null
})

/** Google's object store: surface water of the JRC by tiles of ten degrees, and the soil maps of the USDA. */
export const googleStorage = files('storage.googleapis.com', (path) => {
  if (path === '/solus100pub/anylithicdpt_cm_p.tif') return lithicDepth()
  const tile = /^\/global-surface-water\/downloads2021\/occurrence\/occurrence_(\d+)W_(\d+)Nv1_4_2021\.tif$/.exec(path)
  if (!tile) return null
  const [west, north] = [-Number(tile[1]), Number(tile[2])]
  return placeNames.some(
    (one) =>
      testPlaces[one].lng >= west &&
      testPlaces[one].lng < west + 10 &&
      testPlaces[one].lat <= north &&
      testPlaces[one].lat > north - 10,
  )
    ? surfaceWater(west, north)
    : null
})

/** The pictures of Earth Search: cells of ten metres in the zone of the tile. */
export const scenePictures = files(earthSearchFiles, (path) => {
  const requested = /^\/sentinel-2-c1-l2a\/\w+\/(S2B_\w+)\/(B04|B08|SCL)\.tif$/.exec(path)
  for (const name of placeNames) {
    const scene = requested ? scenesAt(name).find((one) => one.id === requested[1]) : undefined
    if (scene) return picture(name, scene, requested![2]!)
  }
  return null
})

/** How often water was seen, in percent: the river at New Orleans, the shore at Miami Beach; 0 is a value, 255 none. */
function waterAt(at: { lat: number; lng: number }): number {
  const name = testPlaceAt(at)
  return name === 'new_orleans' ? 87 : name === 'miami_beach' ? 12 : name === 'anchorage' ? 255 : 0
}

const placeNames = Object.keys(testPlaces) as PlaceName[]

function files(host: string, make: (path: string) => Uint8Array | null): SimulatedService {
  const file = cacheFiles(make)
  return {
    host,
    answer(request: ReceivedRequest): ServiceAnswer {
      if (request.method !== 'GET' && request.method !== 'HEAD') return null
      const found = file(request.path)
      return found ? answerRange(request, found) : noSuchKey(request.path)
    },
  }
}

/** Whether a place is in one of the squares of one degree around a square. */
function hasPlaceNear(north: number, west: number): boolean {
  return placeNames.some((one) => {
    const { lat, lng } = testPlaces[one]
    return lat > north - 2 && lat <= north + 1 && lng >= west - 1 && lng < west + 2
  })
}

/** A tile beside that of a place: all of its cells are left out. */
function emptyElevationTile(north: number, west: number): Uint8Array {
  const cell = 1 / 10_800
  return buildGeotiff({
    headFirst: true,
    width: 10_812,
    height: 10_812,
    tile: 512,
    type: 'float32',
    compression: 'lzw',
    nodata: '-999999',
    epsg: 4269,
    origin: [west - 6 * cell, north + 6 * cell],
    step: [cell, -cell],
    value: () => 0,
    sparse: () => true,
  })
}

/**
 * Of the 10,812 cells to a side only the tiles within about 2 km of the place are there. Neighbours overlap by six
 * cells.
 */
function elevationTile(name: PlaceName, north: number, west: number): Uint8Array {
  const [cell, tile, width] = [1 / 10_800, 512, 10_812]
  const origin: [number, number] = [west - 6 * cell, north + 6 * cell]
  const across = Math.ceil(width / tile)
  const column = (lng: number) => Math.floor((lng - origin[0]) / cell / tile)
  const row = (lat: number) => Math.floor((origin[1] - lat) / cell / tile)
  const { lat, lng } = testPlaces[name]
  const reach = 0.02
  return buildGeotiff({
    headFirst: true,
    width,
    height: width,
    tile,
    compression: 'deflate',
    predictor: 3,
    nodata: '-999999',
    epsg: 4269,
    origin,
    step: [cell, -cell],
    value: (x, y) => planeAt(name, { lat: origin[1] - (y + 0.5) * cell, lng: origin[0] + (x + 0.5) * cell }),
    sparse: (chunk) => {
      const [x, y] = [chunk % across, Math.floor(chunk / across)]
      return x < column(lng - reach) || x > column(lng + reach) || y < row(lat + reach) || y > row(lat - reach)
    },
  })
}

function surfaceWater(west: number, north: number): Uint8Array {
  return buildGeotiff({
    headFirst: true,
    width: 400,
    height: 400,
    tile: 256,
    type: 'uint8',
    compression: 'lzw',
    nodata: '255',
    epsg: 4326,
    origin: [west, north],
    step: [0.025, -0.025],
    value: (x, y) => waterAt({ lat: north - (y + 0.5) * 0.025, lng: west + (x + 0.5) * 0.025 }),
  })
}

/** Cells of ten kilometres in Albers; open country has rock at 201 and beyond, Kansas none that was found. */
function lithicDepth(): Uint8Array {
  const [west, north, cell] = [-2_360_000, 3_180_000, 10_000]
  const centres = placeNames.map((name) => ({
    name,
    at: proj4('EPSG:4326', albers, [testPlaces[name].lng, testPlaces[name].lat]),
  }))
  return buildGeotiff({
    headFirst: true,
    width: 462,
    height: 292,
    tile: 256,
    type: 'int16',
    compression: 'deflate',
    predictor: 2,
    nodata: '-32768',
    epsg: 5070,
    origin: [west, north],
    step: [cell, -cell],
    value: (x, y) => {
      const [east, up] = [west + (x + 0.5) * cell, north - (y + 0.5) * cell]
      const near = centres.find(({ at }) => Math.hypot(at[0]! - east, at[1]! - up) < 20_000)?.name
      return near === 'kansas' ? -32_768 : near === 'boulder' ? 86 : near === 'paradise' ? 41 : 201
    },
  })
}

/** An image of 2.56 km around the place in one color. */
function picture(name: PlaceName, scene: TestScene, band: string): Uint8Array {
  const zone = Number(scene.tile.slice(0, 2))
  const [x, y] = proj4('EPSG:4326', `+proj=utm +zone=${zone} +datum=WGS84 +units=m +no_defs`, [
    testPlaces[name].lng,
    testPlaces[name].lat,
  ]) as [number, number]
  const origin: [number, number] = [Math.round(x / 20) * 20 - 1_280, Math.round(y / 20) * 20 + 1_280]
  const [cell, value] =
    band === 'SCL' ? [20, scene.scl] : [10, Math.round((band === 'B04' ? scene.red : scene.nir) * 10_000) + 1_000]
  return buildGeotiff({
    headFirst: true,
    width: 2_560 / cell,
    height: 2_560 / cell,
    tile: 256,
    type: band === 'SCL' ? 'uint8' : 'uint16',
    compression: 'deflate',
    nodata: '0',
    epsg: 32_600 + zone,
    origin,
    step: [cell, -cell],
    value: () => value,
  })
}
