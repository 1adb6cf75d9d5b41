import { strToU8, zipSync } from 'fflate'
import { testPlaces } from '../test-places.ts'
import { bulkFiles, missingFileService } from './bulk-file.ts'

// Synthetic: monitors and masts. The columns, their order, the quoting and the records are those of the publishers.

/** The newest year of which EPA has the file: that of last year is not there yet. */
const airYear = new Date().getUTCFullYear() - 2

const airColumns = [
  'State Code',
  'County Code',
  'Site Num',
  'Parameter Code',
  'POC',
  'Latitude',
  'Longitude',
  'Datum',
  'Parameter Name',
  'Sample Duration',
  'Pollutant Standard',
  'Metric Used',
  'Method Name',
  'Year',
  'Units of Measure',
  'Event Type',
  'Observation Count',
  'Observation Percent',
  'Completeness Indicator',
  'Valid Day Count',
  'Required Day Count',
  'Exceptional Data Count',
  'Null Data Count',
  'Primary Exceedance Count',
  'Secondary Exceedance Count',
  'Certification Indicator',
  'Num Obs Below MDL',
  'Arithmetic Mean',
  'Arithmetic Standard Dev',
  '1st Max Value',
  'Local Site Name',
  'State Name',
  'Date of Last Change',
]
const unquoted = new Set([
  'POC',
  'Latitude',
  'Longitude',
  'Year',
  'Observation Count',
  'Observation Percent',
  'Arithmetic Mean',
])
type Monitor = {
  site: string
  at: { lat: number; lng: number }
  parameter?: string
  standard?: string
  event?: string
  complete?: 'Y' | 'N'
  mean: number
}

const near = (name: keyof typeof testPlaces, north: number) => ({
  lat: testPlaces[name].lat + north,
  lng: testPlaces[name].lng,
})
export const monitors = {
  boulder: near('boulder', 0.08),
  boulder_incomplete: near('boulder', 0.03),
  miami_far: near('miami_beach', 1),
  anchorage: near('anchorage', -0.05),
}
const annual: Monitor[] = [
  { site: '0001', at: monitors.boulder, mean: 7.125 },
  { site: '0001', at: monitors.boulder, standard: 'PM25 24-hour 2012', mean: 7.4 },
  { site: '0001', at: monitors.boulder, event: 'Events Excluded', mean: 6.9 },
  { site: '0002', at: monitors.boulder_incomplete, complete: 'N', mean: 9.9 },
  { site: '0003', at: near('boulder', 0.01), parameter: '44201', standard: 'Ozone 8-hour 2015', mean: 0.04 },
  { site: '0004', at: near('boulder', 0.02), parameter: '88502', mean: 11 },
  { site: '0005', at: monitors.miami_far, mean: 8.5 },
  { site: '0006', at: monitors.anchorage, mean: 5.25 },
]

/** EPA: a row for each monitor, standard and way with events, many columns. */
export const airMonitors = [
  bulkFiles('aqs.epa.gov', {
    [`/aqsweb/airdata/annual_conc_by_monitor_${airYear}.zip`]: () =>
      zipSync({ [`annual_conc_by_monitor_${airYear}.csv`]: strToU8(airCsv()) }),
  }),
  missingFileService('aqs.epa.gov', /^\/aqsweb\/airdata\//),
]

function airCsv(): string {
  const rows = annual.map(
    ({ site, at, parameter = '88101', standard = 'PM25 Annual 2012', event = 'No Events', complete = 'Y', mean }) => {
      const said: Record<string, string> = {
        'State Code': '08',
        'County Code': '013',
        'Site Num': site,
        'Parameter Code': parameter,
        POC: '1',
        Latitude: at.lat.toFixed(6),
        Longitude: at.lng.toFixed(6),
        Datum: 'WGS84',
        'Parameter Name': 'PM2.5 - Local Conditions',
        'Pollutant Standard': standard,
        Year: String(airYear),
        'Units of Measure': 'Micrograms/cubic meter (LC)',
        'Event Type': event,
        'Completeness Indicator': complete,
        'Arithmetic Mean': String(mean),
        'Local Site Name': 'Boulder, "Chamber"',
      }
      return airColumns
        .map((column) =>
          unquoted.has(column) ? (said[column] ?? '') : `"${(said[column] ?? '').replaceAll('"', '""')}"`,
        )
        .join(',')
    },
  )
  return [airColumns.map((column) => `"${column}"`).join(','), ...rows].join('\r\n') + '\r\n'
}

type Mast = { id: number; status: string; at: { lat: number; lng: number }; kind?: 'T' | 'A'; side?: string }
export const masts = {
  near: near('boulder', 0.02),
  nearer: near('boulder', -0.012),
  manhattan: near('manhattan', 0.015),
  san_juan: near('san_juan', -0.04),
}
const registered: Mast[] = [
  { id: 96_948, status: 'C', at: masts.near },
  { id: 96_949, status: 'G', at: masts.nearer },
  { id: 96_950, status: 'T', at: near('boulder', 0.001) },
  { id: 96_951, status: 'A', at: near('boulder', 0.002) },
  { id: 96_952, status: 'C', at: near('boulder', 0.003), kind: 'A' },
  { id: 96_953, status: 'C', at: masts.manhattan },
  { id: 96_954, status: 'C', at: masts.san_juan },
  { id: 96_955, status: 'C', at: near('boulder', 0.004), side: 'X' },
]

/**
 * FCC: records of cells with bars between them, quotes that mean nothing, an address that was broken into two lines.
 */
export const antennaStructures = bulkFiles('data.fcc.gov', {
  '/download/pub/uls/complete/r_tower.zip': () =>
    zipSync({
      'EN.dat': strToU8(
        'EN|REG|A0000017|1000017|96949|O|||L00012345|TOWERS "INC|||\r\nEN|REG|A0000017|1000017|96949|R|||L00012346|MADE-UP LAWYERS|||\r\n',
      ),
      'RA.dat': strToU8(registered.map(raOf).join('')),
      'CO.dat': strToU8(registered.map(coOf).join('')),
      counts: strToU8('made up\n'),
    }),
})

function raOf({ id, status }: Mast): string {
  return `RA|REG|A1302667|${1_000_000 + id}|${id}|NT|MD|I|${status}|11/11/2024|11/11/2024|11/11/2024|09/19/1996||11/11/2024|C||Lucas||Conder||Authorized Representative|Y|921 "Columbia Rd\r\n|15 (686567)|MAGNOLIA|AR|05027|71753|103.6|88.4|106.3|194.7|GTOWER|11/04/2024|2024-ASW-13076-OE|70/7460-1J|1|4, 8, 13|7||||\r\n`
}

function coOf({ id, at: { lat, lng }, kind = 'T', side }: Mast): string {
  return `CO|REG|A1302667|${1_000_000 + id}|${id}|${kind}|${sexagesimal(lat)}|${side ?? (lat < 0 ? 'S' : 'N')}|${(Math.abs(lat) * 3_600).toFixed(1)}|${sexagesimal(lng)}|${lng < 0 ? 'W' : 'E'}|${(Math.abs(lng) * 3_600).toFixed(1)}||\r\n`
}

/** Degrees, minutes and seconds to the tenth, as the FCC has them: 3 m. */
function sexagesimal(degrees: number): string {
  const tenths = Math.round(Math.abs(degrees) * 36_000)
  return `${Math.floor(tenths / 36_000)}|${Math.floor((tenths % 36_000) / 600)}|${((tenths % 600) / 10).toFixed(1)}`
}
