import type { PlaceArrays } from '../fetch/place-block.ts'
import { insideUs } from '../geo/us.ts'
import type { Log } from '../log.ts'
import { ApiError, UpstreamError } from '../model/error.ts'
import type { Point, Region } from '../model/place.ts'
import type { EmbeddedData } from '../packs/embedded/embedded-data.ts'
import { auditResultOf } from '../place/geocode.ts'
import type { GeocodedAddress } from '../place/geocode-audit.ts'
import { geocodeSummaryOf, rejectionError } from '../place/geocode-outcome.ts'
import type { LocalGeocode, LocalGeocoder } from '../place/local-geocoder.ts'
import { createRegionSearch, geocodedOf, outOfBoundsError, type LocatedPlace } from '../place/locate.ts'
import { artifactRowOfError, type ArtifactRow } from '../runs/artifacts/artifact-row.ts'
import type { RowBlock } from './row-block.ts'

/** The places of the rows of a block. `ofRow` has the position of each row among the places; -1 for rows without. */
export type RowPlaces = PlaceArrays & {
  ofRow: Int32Array
  located: Map<number, LocatedPlace>
  /** The errors of rows whose address was rejected. */
  errors: Map<number, ApiError>
  /** The rows whose address another geocoder may know. */
  open: Set<number>
  geocodes: GeocodedAddress[]
}

type Deps = {
  embedded: Pick<EmbeddedData, 'layer'>
  log: Log
  /** Undefined if no row has an address. */
  geocode?: LocalGeocoder
}

/** Finds the places of rows, and the errors of rows without a place. */
export class RowLocator {
  readonly #deps: Deps
  readonly #fields: string[]
  readonly #regionAt: (lat: number, lng: number) => Region | null

  constructor(deps: Deps, fields: string[]) {
    this.#deps = deps
    this.#fields = fields
    this.#regionAt = createRegionSearch(deps.embedded.layer('counties'))
  }

  /** Returns the places of the rows that are selected. */
  placesOf(rows: RowBlock, isSelected: (row: number) => boolean): RowPlaces {
    const [lats, lngs] = [new Float64Array(rows.size), new Float64Array(rows.size)]
    const regions: (Region | null)[] = []
    const ofRow = new Int32Array(rows.size).fill(-1)
    const addresses = { located: new Map(), errors: new Map(), open: new Set<number>(), geocodes: [] }
    const places: RowPlaces = { lats, lngs, regions, ofRow, ...addresses }
    for (let row = 0; row < rows.size; row++) {
      if (!isSelected(row)) continue
      const match = this.#matchOf(row, rows, places)
      // + 0 turns -0 into 0.
      const at = match ?? { lat: rows.lats[row]! + 0, lng: rows.lngs[row]! + 0 }
      if (!match && !insideUs(at)) continue
      const region = this.#regionAt(at.lat, at.lng)
      if (match) places.located.set(regions.length, { ...match, region })
      ofRow[row] = regions.length
      lats[regions.length] = at.lat
      lngs[regions.length] = at.lng
      regions.push(region)
    }
    return { ...places, lats: lats.subarray(0, regions.length), lngs: lngs.subarray(0, regions.length) }
  }

  /** Returns the place of a row with an address, without its region; null for other rows. */
  #matchOf(row: number, rows: RowBlock, { errors, open, geocodes }: RowPlaces): Omit<LocatedPlace, 'region'> | null {
    const read = rows.otherRows.get(row)
    if (!this.#deps.geocode || !read || !('input' in read && 'address' in read.input)) return null
    const geocode = this.#geocode(read.input.address)
    if (!geocode) open.add(row)
    else geocodes.push({ key: geocode.key, ...auditResultOf({ outcome: geocode.outcome, cached: false }) })
    if (geocode && 'rejected' in geocode.outcome) errors.set(row, rejectionError(geocode.outcome, false))
    if (!geocode || 'rejected' in geocode.outcome) return null
    const { lat, lng, ...echo } = geocodedOf(geocode.outcome, false)
    return { lat, lng, source: 'address', geocode: geocodeSummaryOf(echo) }
  }

  /**
   * Null if the packs cannot decide. A row whose pack cannot be read is answered by the main thread, which reports it.
   */
  #geocode(address: string): LocalGeocode | null {
    try {
      return this.#deps.geocode!(address)
    } catch (error) {
      if (error instanceof UpstreamError) return null
      throw error
    }
  }

  /** Returns the row of a location without a place. */
  errorRow({ index, row }: { index: number; row: number }, rows: RowBlock, { errors }: RowPlaces): ArtifactRow {
    const read = rows.otherRows.get(row) ?? { input: { lat: rows.lats[row]!, lng: rows.lngs[row]! } }
    const error = 'error' in read ? read.error : (errors.get(row) ?? this.#placeError(read.input, index))
    const answered = artifactRowOfError(index, error, 'input' in read ? read.input : {}, this.#fields)
    answered.passthrough = rows.cellsOf(row)
    return answered
  }

  #placeError(input: object, index: number): ApiError {
    if ('lat' in input && 'lng' in input) return outOfBoundsError(input as Point)
    this.#deps.log.error('run_location_error', { index, error: new Error('There is no geocoder for this address.') })
    return new ApiError('internal_error', 'An internal error occurred at this location.')
  }
}
