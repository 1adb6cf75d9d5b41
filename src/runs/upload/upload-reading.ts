import { columnNames } from '../../files/table/column-names.ts'
import type { UploadColumns } from '../../files/table/upload-columns.ts'
import type { UploadReading } from '../report/run-summary.ts'

/** What a converted file was: its name (in an archive), its format, and the coordinate system of its geometries. */
export type ConvertedFile = { file: string; format: string; crs: string | null }

/** Describes how a file was read. `encoding` is null for a workbook. */
export function uploadReadingOf(
  { columns, delimiter }: { columns: UploadColumns; delimiter: string },
  { encoding, header_row, converted }: { encoding: string | null; header_row: number; converted: ConvertedFile | null },
): UploadReading {
  const { header, address, lat, lng, location, input, shape, county, west } = columns
  const uses = {
    lat: [lat],
    lng: [lng],
    location: [location],
    address,
    input: [input],
    shape: [shape],
    county: [county],
  }
  const used = Object.entries(uses).map(
    ([use, indexes]) => [use, indexes.filter((i) => i >= 0).map((i) => header[i]!)] as const,
  )
  const isTable = converted === null
  const hasGeometry = converted !== null && converted.crs !== null
  return {
    format: converted?.format ?? (encoding === null ? 'workbook' : 'delimited text'),
    encoding: isTable ? encoding : null,
    delimiter: isTable && encoding !== null && delimiter !== '\u001F' ? delimiter : null,
    header_row: isTable ? header_row : null,
    columns: Object.fromEntries(used.filter(([, names]) => names.length > 0)),
    reason: hasGeometry && columns.reason === 'as chosen' ? 'geometry' : columns.reason,
    crs: `${columns.crs ?? converted?.crs ?? 'EPSG:4326'}${west ? ', longitudes without a minus sign are west' : ''}`,
  }
}

/** Well-known text, which begins with its name. */
const wktName = /^[A-Z]+\["([^"]*)"[^]*$/

const useNames = {
  lat: 'latitude',
  lng: 'longitude',
  location: 'coordinate',
  address: 'address',
  input: 'address or coordinate',
  shape: 'area',
  county: 'county',
} as const

/** A line for the summary: `Read as delimited text (utf-8, ","): latitude "INTPTLAT", … by name; EPSG:4326`. */
export function describeUploadReading({
  format,
  encoding,
  delimiter,
  header_row,
  columns,
  reason,
  crs,
}: UploadReading): string {
  const details = [
    ...(encoding === null ? [] : [encoding]),
    ...(delimiter === null ? [] : [delimiter === '\t' ? 'tab' : `"${delimiter}"`]),
    ...(header_row === null || header_row === 1
      ? []
      : [header_row === 0 ? 'no header' : `header in line ${header_row}`]),
  ]
  const uses = (Object.keys(useNames) as (keyof typeof useNames)[]).flatMap((use) => {
    const names = columns[use]
    return names
      ? [
          `${useNames[use]} ${columnNames(
            names.map((_, i) => i),
            names,
          )}`,
        ]
      : []
  })
  return `Read as ${format}${details.length > 0 ? ` (${details.join(', ')})` : ''}: ${uses.join(', ')}, ${reason}; ${crs.replace(wktName, '$1')}`
}
