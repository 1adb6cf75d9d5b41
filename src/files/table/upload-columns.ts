import { findCoordinatePairs, normalizeColumnName } from '../../model/coordinate-columns.ts'
import { columnNames, shownColumns } from './column-names.ts'
import { chooseCoordinate, type ChosenColumns, type CoordinateColumns } from './coordinate-choice.ts'
import type { ToDegrees } from '../crs.ts'

/** The maximum number of columns of an upload. */
export const uploadColumnsMax = 512
/** The number of rows whose values decide between columns. */
export const sampleRows = 100

/** The columns of an upload, as indexes; -1 if there is no such column. */
export type UploadColumns = CoordinateColumns & {
  /** The names of all columns, in order. */
  header: string[]
  /** The columns of an address, in order. */
  address: number[]
  zip: number
  input: number
  /** For areas: the shape as text or GeoJSON, and the code of a county. */
  shape: number
  county: number
  /** Why these columns were read, for the summary. */
  reason: string
}

/** The columns that the user chose, by name or number. The others are recognized by their names and values. */
export type ColumnMapping = { lat?: string; lng?: string; location?: string; address?: string }

export const mappedColumns = ['lat', 'lng', 'location', 'address'] as const

/** How to read the columns. `crs` is the coordinate system of the numbers; `west`: longitudes lack their minus sign. */
export type ColumnOptions = {
  mapping?: ColumnMapping | undefined
  crs?: string | undefined
  toDegrees?: ToDegrees
  west?: boolean | undefined
}

/**
 * Finds the columns of the location; a text that says why there are none, or what settles a choice between several.
 * `sample` has the cells of the first rows. `mapping` must name existing columns, as `unknownMappedColumns` checks.
 */
export function uploadColumnsOf(
  header: string[],
  kind: string,
  options: ColumnOptions = {},
  sample: readonly string[][] = [],
): UploadColumns | string {
  const { mapping = {} } = options
  const chosen = Object.fromEntries(
    mappedColumns.flatMap((part) =>
      mapping[part] === undefined ? [] : [[part, mappedIndexOf(header, mapping[part])]],
    ),
  ) as ChosenColumns
  if (kind === 'area_batch') return areaColumnsOf(header, chosen.location)
  const isAddressChosen = chosen.address !== undefined && chosen.lat === undefined && chosen.lng === undefined
  const hasCoordinates = kind !== 'geocode_batch' && !(isAddressChosen && chosen.location === undefined)
  const coordinate = hasCoordinates ? chooseCoordinate({ header, sample, chosen, ...options }) : null
  if (typeof coordinate === 'string') return coordinate
  const address = addressColumnsOf(header, sample, chosen.address ?? null)
  const names = header.map(normalizeColumnName)
  const input = kind === 'fetch_batch' || Object.keys(mapping).length > 0 ? -1 : names.indexOf('input')
  if (!coordinate && input < 0) {
    if (typeof address === 'string') return address
    if (!address) return noLocationText(header, kind, sample)
  }
  const found = typeof address === 'string' ? null : address
  return {
    ...noColumns,
    ...coordinate,
    header,
    address: found?.columns ?? [],
    zip: found?.zip ?? -1,
    input,
    reason: coordinate?.reason ?? (chosen.address !== undefined ? 'as chosen' : 'by name'),
  }
}

const noColumns = {
  lat: -1,
  lng: -1,
  location: -1,
  isLngFirst: false,
  crs: null,
  west: false,
  shape: -1,
  county: -1,
}

/** The names of columns of shapes. */
export const shapeNames = /^(?:the_geom|(?:wkt_?)?(?:geom|geometry)|wkt|geojson|shape|polygon|boundary)$/

/** A shape comes before the code of a county, which may be an attribute of the shape. */
function areaColumnsOf(header: string[], chosen: number | undefined): UploadColumns | string {
  const names = header.map(normalizeColumnName)
  const indexesOf = (pattern: RegExp) => names.flatMap((name, i) => (pattern.test(name) ? [i] : []))
  const shapes = chosen === undefined ? indexesOf(shapeNames) : [chosen]
  const counties = shapes.length > 0 ? [] : indexesOf(/^(?:county_)?fips$/)
  const several = shapes.length > 1 ? shapes : counties.length > 1 ? counties : []
  if (several.length > 0)
    return `Several columns can have the areas: ${columnNames(several, header)}. Choose one with \`location\``
  if (shapes.length + counties.length === 0)
    return `The file has no column of areas. Its columns are ${shownColumns(header)}. Use one of these columns: shape, geometry, county_fips. Or choose a column with \`location\``
  const common = { ...noColumns, header, address: [], zip: -1, input: -1 }
  const reason = chosen === undefined ? 'by name' : 'as chosen'
  return { ...common, shape: shapes[0] ?? -1, county: counties[0] ?? -1, reason }
}

/** Returns the names in a mapping that are no column of the file. */
export function unknownMappedColumns(header: string[], mapping: ColumnMapping): string[] {
  return mappedColumns.flatMap((part) => {
    const name = mapping[part]
    return name === undefined || mappedIndexOf(header, name) >= 0 ? [] : [name]
  })
}

/** The index of a column by its name, or by its number from 1 if no column has that name. */
export function mappedIndexOf(header: string[], name: string): number {
  const exact = header.findIndex((it) => it.trim() === name.trim())
  if (exact >= 0) return exact
  const similar = header.map(normalizeColumnName).indexOf(normalizeColumnName(name))
  return similar >= 0 ? similar : /^\d{1,3}$/.test(name) && Number(name) <= header.length ? Number(name) - 1 : -1
}

/** Whether a line of cells has names of locations, so that it is the header of a table. */
export function hasLocationName(cells: string[]): boolean {
  const columns = uploadColumnsOf(cells, 'fetch_batch')
  return (
    findCoordinatePairs(cells).length > 0 ||
    typeof columns !== 'string' ||
    typeof areaColumnsOf(cells, undefined) !== 'string'
  )
}

function noLocationText(header: string[], kind: string, sample: readonly string[][]): string {
  const area = header.find(
    (name, i) =>
      shapeNames.test(normalizeColumnName(name)) &&
      sample.some((cells) => /POLYGON|LINESTRING|"Polygon|"MultiPolygon|"LineString/.test(cells[i] ?? '')),
  )
  if (area !== undefined) return `Column ${JSON.stringify(area)} has areas. Answer them with \`kind\` area_batch`
  const [pair] = findCoordinatePairs(header)
  if (pair)
    return `Columns ${columnNames([pair.lat, pair.lng], header)} have numbers that are no degrees. Name their coordinate system: set \`crs\`, such as EPSG:26913`
  const sets = `lat and lng; location; address; street, city, state and zip${kind === 'fetch_batch' ? '' : '; input'}`
  const isData = header.some((name) => /^[-+]?\d+\.\d+$/.test(name.trim()))
  const advice = isData
    ? 'If the first line is no header, set `header_row` to 0, and `lat` and `lng` to the numbers of the columns'
    : 'Or name the columns with `lat` and `lng`, `location` or `address`. If another line has the names, set `header_row`'
  return `The file has no location column. Its columns are ${shownColumns(header)}. Use one of these sets of columns: ${sets}. ${advice}`
}

/** The columns of an address, in order, as indexes. `zip` is -1 if there is none. */
type AddressColumns = { columns: number[]; zip: number }

/**
 * The names of a column with a street address, in order of preference: of the whole address, an address that may have
 * its parts in other columns, a street, and names that can also be of something else. The first group is what the
 * address belongs to.
 */
const addressNames = [
  /^()(?:full|complete)_address$/,
  /^(?:(site|property|location|situs|mailing|physical|facility|premises?)_)?(?:address|addr)$/,
  /^(?:(site|property|situs|mailing|physical|facility)_)?(?:street(?:_address)?|address(?:_line)?_?1)$/,
  /^()(?:location|place)$/,
]
const partNames = {
  city: /^(?:(\w+)_)?(?:city|town|municipality)$/,
  state: /^(?:(\w+)_)?(?:state|st|state_code)$/,
  zip: /^(?:(\w+)_)?(?:(?:zip|postal|post)_?code|zip5?)$/,
}

/**
 * Finds the columns of an address by name; null if there are none. Of several with other values none is chosen: returns
 * a text that says how to choose.
 */
function addressColumnsOf(
  header: readonly string[],
  sample: readonly string[][],
  chosen: number | null,
): AddressColumns | string | null {
  const names = header.map(normalizeColumnName)
  const found =
    chosen === null ? (addressNames.map((it) => indexesOf(names, it)).find((it) => it.length > 0) ?? []) : [chosen]
  const [first, ...others] = found
  if (first === undefined) return null
  const isSame = (other: number) =>
    sample.length > 0 && sample.every((cells) => cells[other]?.trim() === cells[first]?.trim())
  if (!others.every(isSame))
    return `Several columns can have the address: ${columnNames(found, header)}. Choose one with \`address\``
  const owner = addressNames.map((it) => it.exec(names[first]!)?.[1]).find((it) => it !== undefined) ?? ''
  const partOf = (pattern: RegExp) => {
    const owners = names.map((name) => {
      const match = pattern.exec(name)
      return match ? (match[1] ?? '') : null
    })
    const own = owners.indexOf(owner)
    return own >= 0 ? own : owners.indexOf('')
  }
  const [city, state, zip] = [partOf(partNames.city), partOf(partNames.state), partOf(partNames.zip)]
  return { columns: [first, city, state, zip].filter((it) => it >= 0), zip }
}

function indexesOf(names: readonly string[], pattern: RegExp): number[] {
  return names.flatMap((name, i) => (pattern.test(name) ? [i] : []))
}
