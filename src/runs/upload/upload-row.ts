import { Value } from '@sinclair/typebox/value'
import { AreaGeometry } from '../../areas/area-schema.ts'
import { parseShapeText, type AreaSelector } from '../../areas/shape/shape-text.ts'
import { hasMoreCodePoints, invisibleCharacters } from '../../model/text.ts'
import { parseCoordinates } from '../../place/parse-coordinates.ts'
import type { UploadColumns } from './upload-columns.ts'

const addressMax_characters = 256
const shownMax_characters = 40

/** The location of an upload row. */
export type UploadInput = { lat: number; lng: number } | { address: string } | { input: string } | AreaSelector

/** Returns the location of a row, or a text that describes the error with the column that has it. */
export function parseUploadRow(cells: string[], columns: UploadColumns, kind: string): UploadInput | string {
  const { header, lat, lng, input } = columns
  if (cells.length > header.length && cells.slice(header.length).some((cell) => cell !== ''))
    return tooManyCells(cells.length, header.length)
  const garbled = cells.findIndex((cell) => cell.includes('\uFFFD'))
  if (garbled >= 0)
    return `${columnText(columns, garbled)} is not valid text in the encoding of the file; save the file as UTF-8`
  if (kind === 'area_batch') return areaInput(cells, columns)
  if (input >= 0) return textInput((cells[input] ?? '').trim(), columnText(columns, input), kind)
  const [latText, lngText] = [(cells[lat] ?? '').trim(), (cells[lng] ?? '').trim()]
  if (lat >= 0 && (latText !== '' || lngText !== '')) {
    const at = parseDegreePair(latText, lngText, columns)
    return typeof at === 'string' || kind === 'fetch_batch' ? at : { input: `${at.lat}, ${at.lng}` }
  }
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
  const shape = text.startsWith('{') ? parseGeometry(text) : parseShapeText(text)
  if (!shape)
    return `${where} is not an area. Use a text such as polygon:39.73,-105.02;39.73,-104.98;39.76,-105, or a GeoJSON geometry`
  return shape.parcel_of ? `${where} names a parcel. Send parcels in a run of kind area_batch as JSON` : shape
}

function parseGeometry(text: string): AreaSelector | null {
  try {
    const geometry: unknown = JSON.parse(text)
    return Value.Check(AreaGeometry, geometry) ? { geometry } : null
  } catch {
    return null // No JSON.
  }
}

function addressInput(cells: string[], columns: UploadColumns, kind: string): UploadInput | string {
  const { lat, lng, address, zip } = columns
  const parts = address.map((i) => (cells[i] ?? '').trim())
  const [first = '', ...others] = parts
  if (parts.every((part) => part === '')) {
    const empty = [lat, lng, ...address].filter((i) => i >= 0)
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
  if (invisibleCharacters.test(text))
    return `the address in ${where} has control, bidirectional or zero-width characters`
  return kind === 'fetch_batch' ? { address: text } : { input: text }
}

/** Parses decimal degrees, also with a decimal comma, and degrees with minutes, seconds or a hemisphere. */
function parseDegreePair(
  latText: string,
  lngText: string,
  columns: UploadColumns,
): { lat: number; lng: number } | string {
  const { lat, lng } = columns
  if (latText === '' || lngText === '') return `${columnText(columns, latText === '' ? lat : lng)} is empty`
  const at = { lat: parseDegrees(latText), lng: parseDegrees(lngText) }
  if (!Number.isNaN(at.lat) && !Number.isNaN(at.lng)) return at
  const parsed = parseCoordinates(`${withDecimalPoint(latText)}, ${withDecimalPoint(lngText)}`)
  if (parsed?.kind === 'coordinates' && Number.isFinite(parsed.lat) && Number.isFinite(parsed.lng))
    return { lat: parsed.lat, lng: parsed.lng }
  if (parsed?.kind === 'swapped')
    return `${columnText(columns, lat)} has the longitude and ${columnText(columns, lng)} has the latitude`
  const [column, text, axis] = Number.isNaN(at.lat) ? [lat, latText, 'latitude'] : [lng, lngText, 'longitude']
  return `${columnText(columns, column)} has ${JSON.stringify(text.slice(0, shownMax_characters))}, which is not a ${axis}`
}

function parseDegrees(text: string): number {
  const decimal = withDecimalPoint(text)
  return /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i.test(decimal) && Number.isFinite(Number(decimal))
    ? Number(decimal)
    : NaN
}

function withDecimalPoint(text: string): string {
  return text.replace(/^([^\d]*\d+),(\d+)/, '$1.$2')
}

function columnText({ header }: UploadColumns, index: number): string {
  return `column ${JSON.stringify((header[index] ?? '').slice(0, shownMax_characters))}`
}
