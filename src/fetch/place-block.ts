import type { Log } from '../log.ts'
import type { Region } from '../model/place.ts'
import type { Budget, OnBilledCall } from '../model/source.ts'
import type { LocatedPlace } from '../place/locate.ts'
import { LocationEvaluation, type ParcelAccess } from './location-evaluation.ts'

/** The coordinates and the regions of places. `located` has the places that come from an address, by position. */
export type PlaceArrays = {
  lats: ArrayLike<number>
  lngs: ArrayLike<number>
  regions: readonly (Region | null)[]
  located?: { get(i: number): LocatedPlace | undefined }
}

/** What the evaluation of a block uses on behalf of an account. */
export type PlanContext = {
  log: Log
  now: () => Date
  /** Whether the account may read parcel fields (default: allowed). */
  parcelAccess?: ParcelAccess
  /** Is called before each call that its provider bills. */
  onBilledCall?: OnBilledCall
  /**
   * The layers of which the features at all places are found first. `ready` (default): not those that must be prepared,
   * because that would block the event loop; their fields wait. `all`: for threads that may be blocked.
   */
  layers?: 'all' | 'ready'
}

/** Places that a plan answers together. */
export class PlaceBlock {
  readonly lats: ArrayLike<number>
  readonly lngs: ArrayLike<number>
  readonly regions: readonly (Region | null)[]
  readonly size: number
  readonly now: Date
  readonly budget: Budget
  readonly log: Log
  readonly layers: 'all' | 'ready'
  readonly #parcelAccess: ParcelAccess
  readonly #located: PlaceArrays['located']
  readonly #locations = new Map<number, LocationEvaluation>()

  constructor(
    { lats, lngs, regions, located }: PlaceArrays,
    budget: Budget,
    { log, now, parcelAccess = 'allowed', onBilledCall, layers = 'ready' }: PlanContext,
  ) {
    this.lats = lats
    this.lngs = lngs
    this.regions = regions
    this.size = regions.length
    this.now = now()
    this.budget = onBilledCall ? { ...budget, onBilledCall } : budget
    this.log = log
    this.layers = layers
    this.#parcelAccess = parcelAccess
    this.#located = located
  }

  /** Returns the evaluation of one place, for the fields that more than a feature decides. */
  locationAt(i: number): LocationEvaluation {
    const known = this.#locations.get(i)
    if (known) return known
    const place = this.#located?.get(i) ?? {
      lat: this.lats[i]!,
      lng: this.lngs[i]!,
      source: 'coordinate',
      region: this.regions[i]!,
    }
    const location = new LocationEvaluation(place, this.budget, { now: this.now, parcelAccess: this.#parcelAccess })
    this.#locations.set(i, location)
    return location
  }

  /** Ends the evaluation of all places. */
  close(): void {
    for (const location of this.#locations.values()) location.close()
    this.#locations.clear()
  }
}

/** Returns the block of these places. */
export function blockOf(places: readonly LocatedPlace[], budget: Budget, context: PlanContext): PlaceBlock {
  const arrays = {
    lats: places.map(({ lat }) => lat),
    lngs: places.map(({ lng }) => lng),
    regions: places.map(({ region }) => region),
    located: { get: (i: number) => places[i] },
  }
  return new PlaceBlock(arrays, budget, context)
}
