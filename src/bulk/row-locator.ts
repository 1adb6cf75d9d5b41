import type { PlaceArrays } from '../fetch/place-block.ts'
import { insideUs } from '../geo/us.ts'
import type { Log } from '../log.ts'
import { ApiError } from '../model/error.ts'
import type { Region } from '../model/place.ts'
import type { EmbeddedData } from '../packs/embedded-data.ts'
import { createRegionSearch, placeAt } from '../place/locate.ts'
import { artifactRowOfError, type ArtifactRow } from '../runs/artifact-row.ts'
import type { RowBlock } from './row-block.ts'

/** The places of the rows of a block. `ofRow` has the position of each row among the places; -1 for rows without. */
export type RowPlaces = PlaceArrays & { ofRow: Int32Array }

type Deps = { embedded: Pick<EmbeddedData, 'layer'>; log: Log }

/** Finds the places of rows with coordinates, and the errors of rows without a place. */
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
    for (let row = 0; row < rows.size; row++) {
      // + 0 turns -0 into 0.
      const at = { lat: rows.lats[row]! + 0, lng: rows.lngs[row]! + 0 }
      if (!insideUs(at) || !isSelected(row)) continue
      ofRow[row] = regions.length
      lats[regions.length] = at.lat
      lngs[regions.length] = at.lng
      regions.push(this.#regionAt(at.lat, at.lng))
    }
    return { lats: lats.subarray(0, regions.length), lngs: lngs.subarray(0, regions.length), regions, ofRow }
  }

  /** Returns the row of a location without a place. */
  errorRow({ index, row }: { index: number; row: number }, rows: RowBlock): ArtifactRow {
    const read = rows.otherRows.get(row) ?? { input: { lat: rows.lats[row]!, lng: rows.lngs[row]! } }
    const error = 'error' in read ? read.error : this.#placeError(read.input, index)
    const answered = artifactRowOfError(index, error, 'input' in read ? read.input : {}, this.#fields)
    answered.passthrough = rows.cellsOf(row)
    return answered
  }

  #placeError(input: object, index: number): ApiError {
    try {
      if (!('lat' in input && 'lng' in input)) throw new Error('Only coordinates are answered here.')
      const { lat, lng } = input as { lat: number; lng: number }
      placeAt(() => this.#deps.embedded.layer('counties'), { lat, lng })
      throw new Error('The location has a place.')
    } catch (error) {
      if (error instanceof ApiError) return error
      this.#deps.log.error('run_location_error', { index, error })
      return new ApiError('internal_error', 'An internal error occurred at this location.')
    }
  }
}
