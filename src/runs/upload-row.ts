import { hasMoreCodePoints } from '../model/code-points.ts'
import type { UploadColumns } from './upload-columns.ts'

const addressMax_characters = 256

/** The location of an upload row. */
export type UploadInput = { lat: number; lng: number } | { address: string } | { input: string }

/**
 * Returns the location of a row, or a text that describes the error. `width` is the number of columns in the header.
 */
export function parseUploadRow(
  cells: string[],
  width: number,
  { lat, lng, address, input }: UploadColumns,
  kind: string,
): UploadInput | string {
  if (cells.length > width && cells.slice(width).some((cell) => cell !== '')) return tooManyCells(cells.length, width)
  if (cells.some((cell) => cell.includes('\uFFFD'))) return 'it is not valid UTF-8; save the file as UTF-8'
  if (input >= 0) return textInput(cells[input] ?? '', kind)
  const [latText, lngText] = [(cells[lat] ?? '').trim(), (cells[lng] ?? '').trim()]
  if (lat >= 0 && (latText !== '' || lngText !== '')) {
    const at = { lat: parseDegrees(latText), lng: parseDegrees(lngText) }
    if (Number.isNaN(at.lat) || Number.isNaN(at.lng))
      return `${JSON.stringify(latText.slice(0, 40))}, ${JSON.stringify(lngText.slice(0, 40))} is not a latitude and longitude`
    return kind === 'fetch_batch' ? at : { input: `${at.lat}, ${at.lng}` }
  }
  return textInput(
    address
      .map((i) => (cells[i] ?? '').trim())
      .filter((part) => part !== '')
      .join(', '),
    kind,
  )
}

/** Returns the text about a row with more cells than the header has columns. */
export function tooManyCells(cells: number, width: number): string {
  return `it has ${cells} cells, but the header has ${width} columns`
}

function textInput(cell: string, kind: string): UploadInput | string {
  const text = cell.trim()
  if (text === '') return 'it has neither a coordinate nor an address'
  if (hasMoreCodePoints(text, addressMax_characters))
    return `its address has more than ${addressMax_characters} characters`
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text))
    return 'its address has control, bidirectional or zero-width characters'
  return kind === 'fetch_batch' ? { address: text } : { input: text }
}

function parseDegrees(text: string): number {
  return /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i.test(text) && Number.isFinite(Number(text))
    ? Number(text)
    : NaN
}
