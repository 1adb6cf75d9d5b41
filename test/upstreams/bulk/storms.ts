import { strToU8, zipSync } from 'fflate'
import proj4 from 'proj4'
import { testPlaces } from '../test-places.ts'
import { bulkFiles, missingFileService } from './bulk-file.ts'
import { shapefileOf, type DrawnShape, type ShapefileProjection } from './shapefile.ts'
import { words } from '../../support/words.ts'

// Synthetic: every storm. Names of files and columns, units, sentinels and the coordinate system are those of the
// publishers.

/** The last year of which SPC has tracks: its name is in the name of the file. */
const lastTracks = new Date().getUTCFullYear() - 1

const sphere = '+proj=lcc +lat_1=33 +lat_2=45 +lat_0=39 +lon_0=-96 +x_0=0 +y_0=0 +R=6370997 +units=m'
const lambert: ShapefileProjection = {
  prj: 'PROJCS["Lambert_Conformal_Conic",GEOGCS["GCS_Sphere",DATUM["D_Sphere",SPHEROID["Sphere_Clarke_1866_Authalic",6370997.0,0.0]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Lambert_Conformal_Conic"],PARAMETER["False_Easting",0.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-96.0],PARAMETER["Standard_Parallel_1",33.0],PARAMETER["Standard_Parallel_2",45.0],PARAMETER["Latitude_Of_Origin",39.0],UNIT["Meter",1.0]]',
  to: (at) => proj4('+proj=longlat +R=6370997 +no_defs', sphere, at),
}

type Track = {
  yr: number
  om: number
  mag: number
  from: [number, number]
  to?: [number, number]
  len?: number
  st?: string
}

/**
 * SPC: tracks as lines, a report at one place as a line with equal ends. A tornado in two states has a row for each and
 * one for the whole.
 */
export const severeWeather = [
  bulkFiles(
    'www.spc.noaa.gov',
    {
      [`/gis/svrgis/zipped/1950-${lastTracks}-torn-aspath.zip`]: () =>
        tracks(`1950-${lastTracks}-torn-aspath`, [
          { yr: 2011, om: 296, mag: 3, from: [-97.4, 39.4], to: [-97.1, 39.5], len: 18.1, st: 'KS' },
          { yr: 2011, om: 296, mag: 3, from: [-97.1, 39.5], to: [-96.6, 39.6], len: 29.7, st: 'NE' },
          { yr: 2011, om: 296, mag: 3, from: [-97.4, 39.4], to: [-96.6, 39.6], len: 47.8, st: 'KS' },
          { yr: 1957, om: 12, mag: -9, from: [-97.2, 39.2], len: 0.1, st: 'KS' },
          { yr: 1991, om: 12, mag: 5, from: [-96, 38.6], to: [-95.8, 38.7], len: 12, st: 'KS' },
          { yr: 2018, om: 411, mag: 1, from: [-80.2, 25.9], to: [-80.15, 25.92], len: 3.4, st: 'FL' },
        ]),
      [`/gis/svrgis/zipped/1955-${lastTracks}-hail-aspath.zip`]: () =>
        tracks(`1955-${lastTracks}-hail-aspath`, [
          { yr: 2012, om: 1, mag: 1.75, from: [-97.1, 39.3] },
          { yr: 2015, om: 2, mag: 0.75, from: [-97.05, 39.3] },
          { yr: 2019, om: 3, mag: 1, from: [-97, 39.25] },
          { yr: 2005, om: 4, mag: 2.75, from: [-97.2, 39.35] },
          { yr: 2021, om: 5, mag: 4.5, from: [-95, 39.3] },
        ]),
      [`/gis/svrgis/zipped/1955-${lastTracks}-wind-aspath.zip`]: () =>
        tracks(`1955-${lastTracks}-wind-aspath`, [
          { yr: 2010, om: 1, mag: 0, from: [-97.1, 39.3] },
          { yr: 2022, om: 2, mag: 61, from: [-97.05, 39.2] },
          { yr: 2009, om: 3, mag: 70, from: [-97.05, 39.3] },
          { yr: 2022, om: 4, mag: 52, from: [-99, 39.3] },
        ]),
    },
    { mozilla: true },
  ),
  missingFileService('www.spc.noaa.gov', /^\/gis\/svrgis\/zipped\//),
]

function tracks(name: string, list: Track[]): Uint8Array {
  const shapes = list.map(({ yr, om, mag, from, to = from, len = 0, st = 'KS' }): DrawnShape => ({
    kind: 'line',
    points: [from, to],
    row: {
      om,
      yr,
      mo: 5,
      dy: 24,
      date: `${yr}-05-24`,
      time: '16:20:00',
      tz: 3,
      st,
      stf: 20,
      stn: 0,
      mag,
      inj: 0,
      fat: 0,
      loss: 0,
      closs: 0,
      slat: from[1],
      slon: from[0],
      elat: to[1],
      elon: to[0],
      len,
      wid: 100,
    },
  }))
  return zipSync(shapefileOf(`${name}/${name}`, shapes, lambert))
}

const head = words`
  SID SEASON NUMBER BASIN SUBBASIN NAME ISO_TIME NATURE LAT LON WMO_WIND WMO_PRES WMO_AGENCY TRACK_TYPE DIST2LAND
  LANDFALL IFLAG USA_AGENCY USA_ATCF_ID USA_LAT USA_LON USA_RECORD USA_STATUS USA_WIND USA_PRES USA_SSHS
`
const units: Record<string, string> = {
  SEASON: 'Year',
  LAT: 'degrees_north',
  LON: 'degrees_east',
  WMO_WIND: 'kts',
  WMO_PRES: 'mb',
  DIST2LAND: 'km',
  LANDFALL: 'km',
  USA_LAT: 'degrees_north',
  USA_LON: 'degrees_east',
  USA_WIND: 'kts',
  USA_PRES: 'mb',
  USA_SSHS: '1',
}

type Fix = { hour: number; at: [lat: number, lng: number]; wind: number | null }
type Storm = { sid: string; season: number; basin: string; name: string; fixes: Fix[]; type?: string }

const { miami_beach, san_juan } = testPlaces
/** Fast: no fix is within 100 km of Miami Beach, but the line between two fixes is. */
const quick: Storm = {
  sid: '2004224N11301',
  season: 2004,
  basin: 'NA',
  name: 'QUICK',
  fixes: [
    { hour: 0, at: [miami_beach.lat - 1.3, miami_beach.lng - 0.2], wind: 110 },
    { hour: 3, at: [miami_beach.lat + 1.3, miami_beach.lng - 0.2], wind: 95 },
    { hour: 6, at: [miami_beach.lat + 3.9, miami_beach.lng - 0.2], wind: 60 },
  ],
}
const stronger: Storm = {
  sid: '1992230N11325',
  season: 1992,
  basin: 'NA',
  name: 'STRONGER',
  fixes: [
    { hour: 0, at: [25.4, -79], wind: 145 },
    { hour: 3, at: [25.5, -80.2], wind: null },
    { hour: 6, at: [25.6, -81.4], wind: 125 },
  ],
}
const tooOld: Storm = {
  sid: '1926255N15314',
  season: 1926,
  basin: 'NA',
  name: 'NOT_NAMED',
  fixes: [
    { hour: 0, at: [25.7, -79.9], wind: 125 },
    { hour: 6, at: [25.9, -80.6], wind: 120 },
  ],
}
const weak: Storm = {
  sid: '2015238N15320',
  season: 2015,
  basin: 'NA',
  name: 'WEAK',
  fixes: [
    { hour: 0, at: [san_juan.lat, san_juan.lng + 0.5], wind: 50 },
    { hour: 3, at: [san_juan.lat, san_juan.lng - 0.5], wind: 45 },
  ],
}
/** Complete in both files, because it moved from one ocean to the other. */
const crossing: Storm = {
  sid: '1996206N12320',
  season: 1996,
  basin: 'NA',
  name: 'CROSSING',
  fixes: [
    { hour: 0, at: [miami_beach.lat, miami_beach.lng + 0.3], wind: 70 },
    { hour: 3, at: [miami_beach.lat, miami_beach.lng - 0.9], wind: 66 },
    { hour: 6, at: [miami_beach.lat, miami_beach.lng - 2], wind: 40 },
  ],
}
/** A secondary track, which must not be joined to the main one. */
const spur: Storm = { ...crossing, type: 'spur-other', fixes: [{ hour: 3, at: [20, -60], wind: 80 }] }
/** From the east across the 180th meridian, over the Aleutians. */
const aleutian: Storm = {
  sid: '2006230N11222',
  season: 2006,
  basin: 'EP',
  name: 'ALEUTIAN',
  fixes: [
    { hour: 0, at: [51.6, -178.9], wind: 75 },
    { hour: 6, at: [51.8, 178.7], wind: 65 },
  ],
}

/** NCEI: fixes every three hours, the units below the names, a blank where there is no value. */
export const bestTracks = bulkFiles(
  'www.ncei.noaa.gov',
  {
    [listOf('NA')]: () => strToU8(csvOf([tooOld, stronger, crossing, spur, quick, weak])),
    [listOf('EP')]: () => strToU8(csvOf([crossing, aleutian])),
  },
  { type: 'text/csv' },
)

function listOf(basin: string): string {
  return `/data/international-best-track-archive-for-climate-stewardship-ibtracs/v04r01/access/csv/ibtracs.${basin}.list.v04r01.csv`
}

function csvOf(storms: Storm[]): string {
  const rows = storms.flatMap(({ sid, season, basin, name, fixes, type = 'main' }) =>
    fixes.map(({ hour, at: [lat, lng], wind }) => {
      const said: Record<string, string> = {
        SID: sid,
        SEASON: String(season),
        NUMBER: '42',
        BASIN: basin,
        SUBBASIN: 'MM',
        NAME: name,
        ISO_TIME: `${season}-08-15 ${String(hour).padStart(2, '0')}:00:00`,
        NATURE: 'TS',
        LAT: lat.toFixed(4),
        LON: lng.toFixed(4),
        TRACK_TYPE: type,
        DIST2LAND: '0',
        USA_LAT: lat.toFixed(4),
        USA_LON: lng.toFixed(4),
        ...(wind !== null && { USA_WIND: String(wind), USA_SSHS: '1' }),
      }
      return head.map((column) => said[column] ?? ' ').join(',')
    }),
  )
  return [head.join(','), head.map((column) => units[column] ?? ' ').join(','), ...rows].join('\n') + '\n'
}
