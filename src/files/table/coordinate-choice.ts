import { insideUs } from '../../geo/us.ts'
import { findCoordinatePairs, normalizeColumnName, type CoordinatePair } from '../../model/coordinate-columns.ts'
import type { Point } from '../../model/place.ts'
import type { ToDegrees } from '../crs.ts'
import { columnNames } from './column-names.ts'
import { parsePair } from './degree-pair.ts'
import { parseLocationText } from './location-text.ts'

/** The columns of a coordinate, as indexes, and how to read them. */
export type CoordinateColumns = {
  lat: number
  lng: number
  /** A column with both coordinates in one text. */
  location: number
  /** Whether the texts of `location` have the longitude first. */
  isLngFirst: boolean
  /** The coordinate system of the numbers; null: degrees. */
  crs: string | null
  /** Whether positive longitudes are west. */
  west: boolean
}

/** The columns that the user chose, as indexes. */
export type ChosenColumns = { lat?: number; lng?: number; location?: number; address?: number }

type Search = {
  header: string[]
  sample: readonly string[][]
  chosen: ChosenColumns
  crs?: string | null | undefined
  toDegrees?: ToDegrees
  west?: boolean | undefined
  /** What the user can do about several candidates, and about longitudes without a minus sign. */
  advice?: { choose: string; west: string }
}

const runAdvice = {
  choose: 'Choose with `lat` and `lng`, or with `location`',
  west: 'If they are all west, set `west`',
}

/** Columns that can have the coordinates, and the points of the sample, null for a row that cannot be read. */
type Candidate = Pick<CoordinateColumns, 'lat' | 'lng' | 'location' | 'isLngFirst'> & {
  points: (Point | null)[]
  /** Whether the sample has any text in the columns. */
  isFilled: boolean
  unit: CoordinatePair['unit']
}

/** Two columns have the same coordinate if they differ by less: 10 m. */
const sameMax_degrees = 0.0001

/**
 * Chooses the columns of the coordinate by their names and by the values of the first rows; null if there are none. Of
 * several with other values none is chosen: returns a text that says how to choose.
 */
export function chooseCoordinate(search: Search): (CoordinateColumns & { reason: string }) | string | null {
  const { header, chosen, crs = null, west = false, advice = runAdvice } = search
  const isChosen = chosen.lat !== undefined || chosen.lng !== undefined || chosen.location !== undefined
  const candidates = isChosen ? chosenCandidates(search) : candidatesByName(search)
  if (typeof candidates === 'string') return candidates
  const found = candidates.length > 0 || isChosen ? candidates : candidatesByValue(search)
  const [first, ...others] = found
  if (!first) return null
  if (!others.every((other) => hasSamePoints(first, other)))
    return `Several columns can have the coordinates: ${found.map((it) => namesOf(it, header)).join('; ')}. ${advice.choose}`
  if (!west && crs === null && isWithoutMinus(first))
    return `The longitudes in ${columnNames([first.location < 0 ? first.lng : first.location], header)} have no minus sign, and are outside the United States. ${advice.west}`
  const basis = isChosen ? 'as chosen' : candidates.length > 0 ? 'by name' : 'by their values'
  const same = others.length > 0 ? `; ${others.map((it) => namesOf(it, header)).join('; ')} have the same values` : ''
  const { lat, lng, location, isLngFirst } = first
  return { lat, lng, location, isLngFirst, crs, west, reason: basis + same }
}

function namesOf({ lat, lng, location }: Candidate, header: string[]): string {
  return location >= 0
    ? columnNames([location], header)
    : `${columnNames([lat], header)} and ${columnNames([lng], header)}`
}

function chosenCandidates(search: Search): Candidate[] | string {
  const { header, chosen } = search
  if (chosen.lat === undefined && chosen.lng === undefined) return [locationCandidate(chosen.location!, search)]
  const pairs = findCoordinatePairs(header)
  const partnersOf = (axis: 'lat' | 'lng', other: 'lat' | 'lng') => {
    const own = pairs.filter((pair) => pair[other] === chosen[other])
    return [...new Set((own.length > 0 ? own : pairs).map((pair) => pair[axis]))]
  }
  const lats = chosen.lat === undefined ? partnersOf('lat', 'lng') : [chosen.lat]
  const lngs = chosen.lng === undefined ? partnersOf('lng', 'lat') : [chosen.lng]
  if (lats.length !== 1 || lngs.length !== 1) return 'Choose the columns of both coordinates with `lat` and `lng`'
  return [pairCandidate({ lat: lats[0]!, lng: lngs[0]!, unit: 'degrees' }, search)]
}

/** The words in the name of a column with both coordinates. */
const locationNames =
  /(?:^|_)(?:locations?|lat_?l(?:ng|on|ong)|l(?:ng|on|ong)_?lat|latitude_?longitude|coord(?:inate)?s?|geo_?(?:point|loc|location|code|reference|json|metry)|geo_?point_2d|geom|point|position|gps|wkt|xy|shape|georeferenced)(?:_?\d+)?(?:_|$)/

function candidatesByName(search: Search): Candidate[] {
  const { header, crs } = search
  const pairs = findCoordinatePairs(header).map((pair) => pairCandidate(pair, search))
  const inOneColumn = header.flatMap((name, i) =>
    locationNames.test(normalizeColumnName(name)) ? [locationCandidate(i, search)] : [],
  )
  const usable = [
    ...pairs.filter(({ unit, points, isFilled }) =>
      crs ? true : unit === 'degrees' || (unit === 'any' && (!isFilled || points.some(isOnEarth))),
    ),
    ...inOneColumn.filter(({ points, isFilled }) => !isFilled || points.some((it) => it !== null)),
  ]
  // Values decide only where names do not.
  const plausible = usable.filter(({ points }) => points.some(isOnEarth))
  return usable.length > 1 && plausible.length > 0 ? plausible : usable
}

/** Columns whose texts are all coordinates of the United States. */
function candidatesByValue(search: Search): Candidate[] {
  return search.header
    .map((_, i) => locationCandidate(i, search))
    .filter(
      ({ points, location }) =>
        search.sample.length > 0 &&
        points.some((it) => it !== null) &&
        points.every((point, row) => (point === null ? cellOf(search.sample[row]!, location) === '' : insideUs(point))),
    )
}

function pairCandidate(
  { lat, lng, unit }: CoordinatePair,
  { sample, toDegrees = null, west = false }: Search,
): Candidate {
  const points = sample.map((cells) => {
    const at = parsePair(cellOf(cells, lat), cellOf(cells, lng), { toDegrees, west })
    return 'lat' in at ? at : null
  })
  const isFilled = sample.some((cells) => cellOf(cells, lat) !== '' || cellOf(cells, lng) !== '')
  return { lat, lng, location: -1, isLngFirst: false, points, isFilled, unit }
}

function locationCandidate(location: number, { sample, west = false }: Search): Candidate {
  const read = sample.map((cells) => parseLocationText(cellOf(cells, location)))
  const found = read.filter((it) => it !== null)
  const isLngFirst = found.length > 0 && found.every(({ isSwapped }) => isSwapped)
  const points = read.map((at) => at && { lat: at.lat, lng: west ? -Math.abs(at.lng) : at.lng })
  const isFilled = sample.some((cells) => cellOf(cells, location) !== '')
  return { lat: -1, lng: -1, location, isLngFirst, points, isFilled, unit: 'degrees' }
}

function cellOf(cells: readonly string[], index: number): string {
  return (cells[index] ?? '').trim()
}

function isOnEarth(at: Point | null): boolean {
  return at !== null && Math.abs(at.lat) <= 90 && Math.abs(at.lng) <= 360
}

/** Whether all rows that have a coordinate in both columns have the same. There must be such a row. */
function hasSamePoints(first: Candidate, other: Candidate): boolean {
  if (!other.isFilled && first.isFilled) return true
  const both = first.points.flatMap((a, row) => {
    const b = other.points[row]
    return a && b ? [Math.max(Math.abs(a.lat - b.lat), Math.abs(a.lng - b.lng))] : []
  })
  return both.length > 0 && both.every((distance) => distance < sameMax_degrees)
}

function isWithoutMinus({ points }: Candidate): boolean {
  const found = points.filter((it) => it !== null)
  return found.length > 0 && found.every((at) => !insideUs(at) && insideUs({ lat: at.lat, lng: -at.lng }))
}
