import type { Region } from '../model/place.ts'
import type { Budget } from '../model/source.ts'
import { LocationEvaluation } from './location-evaluation.ts'

/** The coordinates and the regions of places. */
export type PlaceArrays = { lats: Float64Array; lngs: Float64Array; regions: readonly (Region | null)[] }

/** Places that a plan answers together, field by field. */
export class PlaceBlock {
  readonly lats: Float64Array
  readonly lngs: Float64Array
  readonly regions: readonly (Region | null)[]
  readonly size: number
  readonly now: Date
  readonly budget: Budget
  readonly #locations: (LocationEvaluation | undefined)[]

  constructor({ lats, lngs, regions }: PlaceArrays, now: Date, budget: Budget) {
    this.lats = lats
    this.lngs = lngs
    this.regions = regions
    this.size = regions.length
    this.now = now
    this.budget = budget
    this.#locations = Array.from({ length: this.size })
  }

  /** Returns the evaluation of one place, for the fields that are not answered together. */
  locationAt(i: number): LocationEvaluation {
    return (this.#locations[i] ??= new LocationEvaluation(
      { lat: this.lats[i]!, lng: this.lngs[i]!, source: 'coordinate', region: this.regions[i]! },
      this.budget,
      { now: this.now, parcelAccess: 'allowed' },
    ))
  }

  /** Ends the evaluation of one place. */
  closeLocation(i: number): void {
    this.#locations[i]?.close()
    this.#locations[i] = undefined
  }
}
