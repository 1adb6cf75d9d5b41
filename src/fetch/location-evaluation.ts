import type { MaybePromise } from '../async/maybe-promise.ts'
import type { Dataset } from '../catalog/records.ts'
import type { Point } from '../model/place.ts'
import type { AnySource, Budget } from '../model/source.ts'
import type { FieldQuery } from '../operators/operator.ts'
import type { LocatedPlace } from '../place/locate.ts'
import { coalesceRadii } from './sources/coalesce-radii.ts'
import type { Evaluation } from './evaluation.ts'
import { openFieldDeadlines, type FieldDeadlines } from './field-deadlines.ts'
import { memoizePerRequest } from './sources/memoize-per-request.ts'
import type { SourceOption } from './sources/source-registry.ts'

/** A field or a read, bound to its sources. Its evaluation is a promise only if a source returns one. */
export type Evaluable = { evaluate(location: LocationEvaluation): MaybePromise<Evaluation> }

/** Whether the account may read parcel fields. */
export type ParcelAccess = 'allowed' | 'denied'

type Options = { now: Date; parcelAccess: ParcelAccess }

/**
 * The evaluation of the fields of one request at one place: what they share. Work that waits is done once, and each
 * query to a source is sent once.
 */
export class LocationEvaluation {
  readonly place: LocatedPlace
  readonly at: Point
  readonly budget: Budget
  readonly now: Date
  readonly parcelAccess: ParcelAccess
  /** The query of a read without a key and without inputs. */
  readonly pointQuery: FieldQuery
  readonly #started_ms = performance.now()
  #deadlines: FieldDeadlines | null = null
  #pending: Map<object, Promise<unknown>> | null = null
  #sources: Map<SourceOption, AnySource> | null = null

  constructor(place: LocatedPlace, budget: Budget, { now, parcelAccess }: Options) {
    this.place = place
    this.at = { lat: place.lat, lng: place.lng }
    this.budget = budget
    this.now = now
    this.parcelAccess = parcelAccess
    this.pointQuery = { at: this.at, key: null, inputs: noInputs, margins: undefined, now }
  }

  /**
   * Starts the work of a key, or joins it if it is pending. Work that did not wait is done again instead: that costs
   * less than keeping its result.
   */
  join<T>(key: object, start: () => MaybePromise<T>): MaybePromise<T> {
    const pending = this.#pending?.get(key) as Promise<T> | undefined
    if (pending) return pending
    const result = start()
    if (result instanceof Promise) (this.#pending ??= new Map()).set(key, result)
    return result
  }

  /** Returns the source of an option, shared by the fields of the request. */
  sourceOf(option: SourceOption, { shape, fetch_radius_m }: Dataset): AnySource {
    const known = this.#sources?.get(option)
    if (known) return known
    const { source, remote, queryHistory } = option
    const shared =
      remote && shape === 'features'
        ? coalesceRadii(source, { fetch_radius_m, simplified: remote.simplified }, queryHistory)
        : memoizePerRequest(source)
    ;(this.#sources ??= new Map()).set(option, shared)
    return shared
  }

  /** Settles like the work of a field, or rejects with `timeout` at its deadline. */
  within<T>(work: Promise<T>, dataset: Dataset): MaybePromise<T> {
    this.#deadlines ??= openFieldDeadlines(this.budget, this.#started_ms)
    return this.#deadlines.within(work, dataset)
  }

  /** Stops the timers of the deadlines. */
  close(): void {
    this.#deadlines?.close()
  }
}

const noInputs = {}
