import type { Region } from '../model/place.ts'
import type { Budget } from '../model/source.ts'
import type { LocatedPlace } from '../place/locate.ts'
import { LocationEvaluation, type ParcelAccess } from './location-evaluation.ts'

/** The coordinates and the regions of places. `located` has the places that come from an address, by position. */
export type PlaceArrays = {
  lats: Float64Array
  lngs: Float64Array
  regions: readonly (Region | null)[]
  located?: ReadonlyMap<number, LocatedPlace>
}

/**
 * How a block is answered. `layers`: a request reads only the layers that are `ready`, because preparing another one
 * would block the event loop. Fields of other layers are answered place by place.
 */
export interface BlockOptions {
  now: Date
  budget: Budget
  parcelAccess: ParcelAccess
  layers: 'all' | 'ready'
}

/** Places that a plan answers together, field by field. */
export class PlaceBlock {
  readonly lats: Float64Array
  readonly lngs: Float64Array
  readonly regions: readonly (Region | null)[]
  readonly size: number
  readonly now: Date
  readonly budget: Budget
  readonly layers: BlockOptions['layers']
  readonly #parcelAccess: ParcelAccess
  readonly #located: PlaceArrays['located']
  readonly #locations: (LocationEvaluation | undefined)[]

  constructor({ lats, lngs, regions, located }: PlaceArrays, { now, budget, parcelAccess, layers }: BlockOptions) {
    this.lats = lats
    this.lngs = lngs
    this.regions = regions
    this.size = regions.length
    this.now = now
    this.budget = budget
    this.layers = layers
    this.#parcelAccess = parcelAccess
    this.#located = located
    this.#locations = Array.from({ length: this.size })
  }

  /** Returns the evaluation of one place, for the fields that are not answered together. */
  locationAt(i: number): LocationEvaluation {
    return (this.#locations[i] ??= new LocationEvaluation(
      this.#located?.get(i) ?? {
        lat: this.lats[i]!,
        lng: this.lngs[i]!,
        source: 'coordinate',
        region: this.regions[i]!,
      },
      this.budget,
      { now: this.now, parcelAccess: this.#parcelAccess },
    ))
  }

  /** Ends the evaluation of one place. */
  closeLocation(i: number): void {
    this.#locations[i]?.close()
    this.#locations[i] = undefined
  }
}
