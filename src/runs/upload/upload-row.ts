import { Value } from '@sinclair/typebox/value'
import { AreaGeometry } from '../../areas/area-schema.ts'
import { areaOfWkt } from '../../areas/shape/feature-shapes.ts'
import { parseShapeText, type AreaSelector } from '../../areas/shape/shape-text.ts'
import { addressMax_characters, hasMoreCodePoints, invisibleCharacters, joinLines } from '../../model/text.ts'
import type { Point } from '../../model/place.ts'
import type { ToDegrees } from '../../files/crs.ts'
import { parseCoordinates } from '../../geo/text/parse-coordinates.ts'
import { wktPattern } from '../../files/wkt.ts'
import { shownText } from '../../files/table/column-names.ts'
import { parsePair, withWest } from '../../files/table/degree-pair.ts'
import { parseLocationText } from '../../files/table/location-text.ts'
import type { UploadColumns } from '../../files/table/upload-columns.ts'
import { tryParseJson } from '../../model/record.ts'

/** The location of an upload row. */
export type UploadInput = { lat: number; lng: number } | { address: string } | { input: string } | AreaSelector

/**
 * Returns the location of a row, or a text that describes the error with the column that has it. `toDegrees` converts
 * from the coordinate system of the columns.
 */
export function parseUploadRow(
  cells: string[],
  columns: UploadColumns,
  kind: string,
  toDegrees: ToDegrees = null,
): UploadInput | string {
  const { header, input } = columns
  if (cells.length > header.length && cells.slice(header.length).some((cell) => cell !== ''))
    return tooManyCells(cells.length, header.length)
  const garbled = cells.findIndex((cell) => cell.includes('\uFFFD'))
  if (garbled >= 0)
    return `${columnText(columns, garbled)} is not valid text in the encoding of the file; save the file as UTF-8`
  if (kind === 'area_batch') return areaInput(cells, columns)
  if (input >= 0) return textInput((cells[input] ?? '').trim(), columnText(columns, input), kind)
  const at = coordinateOf(cells, columns, toDegrees)
  if (at !== null) return typeof at === 'string' || kind === 'fetch_batch' ? at : { input: `${at.lat}, ${at.lng}` }
  return addressInput(cells, columns, kind)
}

/** Returns the text about a row with more cells than the header has columns. */
export function tooManyCells(cells: number, width: number): string {
  return `it has ${cells} cells, but the header has ${width} columns`
}

/** The area of a row: a shape as text or as GeoJSON, or a county. Its geometry is checked when it is answered. */
function areaInput(cells: string[], columns: UploadColumns): AreaSelector | string {
  const index = columns.shape >= 0 ? columns.shape : columns.county
  const [text, where] = [(cells[index] ?? '').trim(), columnText(columns, index)]
  if (text === '') return `${where} is empty`
  if (columns.shape < 0)
    return /^\d{4,5}$/.test(text)
      ? { county_fips: text.padStart(5, '0') }
      : `${where} is not a five-digit county FIPS code`
  const shape = text.startsWith('{')
    ? areaSelectorOf(tryParseJson(text))
    : (parseShapeText(text) ?? areaSelectorOfWkt(text))
  if (!shape)
    return `${where} is not an area. Use a text such as polygon:39.73,-105.02;39.73,-104.98;39.76,-105, a GeoJSON geometry, or well-known text`
  return shape.parcel_of ? `${where} names a parcel. Send parcels in a run of kind area_batch as JSON` : shape
}

function areaSelectorOf(geometry: unknown): AreaSelector | null {
  return Value.Check(AreaGeometry, geometry) ? { geometry } : null
}

function areaSelectorOfWkt(text: string): AreaSelector | null {
  const geometry = wktPattern.test(text) ? areaOfWkt(text) : null
  return geometry && { geometry }
}

function addressInput(cells: string[], columns: UploadColumns, kind: string): UploadInput | string {
  const { lat, lng, location, address, zip } = columns
  const parts = address.map((i) => (cells[i] ?? '').trim())
  const [first = '', ...others] = parts
  if (parts.every((part) => part === '')) {
    const empty = [lat, lng, location, ...address].filter((i) => i >= 0)
    const names = empty.map((i) => columnText(columns, i))
    return names.length === 1 ? `${names[0]} is empty` : `${names.join(', ')} are empty`
  }
  const zipText = zip < 0 ? '' : (cells[zip] ?? '').trim()
  const shortZip = /^\d{3,4}(?=-\d{4}$|$)/.exec(zipText)?.[0]
  if (shortZip !== undefined)
    return `ZIP ${zipText} in ${columnText(columns, zip)} has ${shortZip.length} digits; did you mean ${zipText.padStart(zipText.length + 5 - shortZip.length, '0')}?`
  const joined = [first, ...others.filter((part) => !containsWords(first, part))].filter((part) => part !== '')
  return textInput(joined.join(', '), address.map((i) => columnText(columns, i)).join(', '), kind)
}

/** Whether an address already ends with a part, such as a city or a ZIP code, that is also in a column of its own. */
function containsWords(address: string, part: string): boolean {
  const words = (text: string) => ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')} `
  return address.includes(',') && words(address).includes(words(part))
}

function textInput(text: string, where: string, kind: string): UploadInput | string {
  if (text === '') return `${where} is empty`
  if (hasMoreCodePoints(text, addressMax_characters))
    return `the address in ${where} has more than ${addressMax_characters} characters`
  if (invisibleCharacters.test(joinLines(text)))
    return `the address in ${where} has control, bidirectional or zero-width characters`
  return kind === 'fetch_batch' ? { address: text } : { input: text }
}

/** Returns the coordinate of a row, or its error; null if its cells are empty. */
function coordinateOf(cells: string[], columns: UploadColumns, toDegrees: ToDegrees): Point | string | null {
  const { lat, lng, location, west } = columns
  const text = (index: number) => (cells[index] ?? '').trim()
  if (location >= 0) return text(location) === '' ? null : locationOf(text(location), columns)
  if (lat < 0 || (text(lat) === '' && text(lng) === '')) return null
  if (text(lat) === '' || text(lng) === '') return `${columnText(columns, text(lat) === '' ? lat : lng)} is empty`
  const at = parsePair(text(lat), text(lng), { toDegrees, west })
  if ('lat' in at) return at
  if (at.problem === 'swapped')
    return `${columnText(columns, lat)} has the longitude and ${columnText(columns, lng)} has the latitude`
  const [column, axis] = at.problem === 'lat' ? [lat, 'latitude'] : [lng, 'longitude']
  if (/^\d{6}(?:\.\d+)? ?[EW]$/i.test(text(lng)))
    return `${columnText(columns, lng)} has ${shownText(text(lng))}, which can be ${packedReadings(text(lat), text(lng))}`
  const what = toDegrees ? `a number of the coordinate system ${columns.crs}` : `a ${axis}`
  return `${columnText(columns, column)} has ${shownText(text(column))}, which is not ${what}`
}

/** The two readings of a packed longitude with six digits, as coordinates, the one with three digits of degrees last. */
function packedReadings(latText: string, lngText: string): string {
  const [, digits = '', rest = ''] = /^(\d{6})(.*)$/.exec(lngText) ?? []
  const readings = [`0${digits}${rest}`, `${digits.slice(0, 5)}0${digits.slice(5)}${rest}`].map((lng) => {
    const at = parseCoordinates(`${latText}, ${lng}`)
    return at ? `${at.lat}, ${at.lng}` : lng
  })
  return `${readings.join(' or ')}; write degrees with three digits and seconds with two, as in 0${digits}${rest}`
}

function locationOf(text: string, columns: UploadColumns): Point | string {
  const at = parseLocationText(text)
  const where = columnText(columns, columns.location)
  if (!at) return `${where} has ${shownText(text)}, which is not a coordinate`
  // A point of WKT or GeoJSON is never swapped: its order is that of the format.
  if (at.isSwapped !== columns.isLngFirst && !/^[A-Z{]/i.test(text))
    return at.isSwapped
      ? `${where} has the longitude first; did you mean ${at.lat}, ${at.lng}?`
      : `${where} has the latitude first, but other rows have the longitude first`
  return withWest(at, columns.west)
}

function columnText({ header }: UploadColumns, index: number): string {
  return `column ${shownText(header[index] ?? '')}`
}
