import type { LocatedPlace } from '../place/locate.ts'
import type { FetchAnswer, FieldResult } from './fetch-answer.ts'
import type { FetchPlan } from './fetch-plan.ts'
import type { AnswerTemplate, FieldCounts } from './answer-template.ts'
import { resultOf, type FieldOutcome } from './outcome-column.ts'

/** The answer of a plan at one place, as an object and as JSON. */
export class PlaceAnswer {
  readonly #plan: FetchPlan
  readonly place: LocatedPlace
  readonly #fetched_at: string
  readonly outcomes: readonly FieldOutcome[]
  readonly #template: AnswerTemplate

  constructor(plan: FetchPlan, place: LocatedPlace, outcomes: readonly FieldOutcome[], fetched_at: string) {
    this.#plan = plan
    this.place = place
    this.#fetched_at = fetched_at
    this.outcomes = outcomes
    this.#template = plan.templates.templateOf(outcomes)
  }

  /** What the answer adds to metrics and usage. */
  get counts(): FieldCounts {
    return this.#template.counts
  }

  /** Returns the answer as an object. */
  toJSON(): FetchAnswer {
    const { lat, lng, source, geocode } = this.place
    const fields: Record<string, FieldResult> = {}
    this.#plan.fields.forEach(({ name }, i) => {
      fields[name] = resultOf(this.outcomes[i]!, this.#fetched_at)
    })
    return {
      lat,
      lng,
      fetched_at: this.#fetched_at,
      fields,
      partial_failures: [...this.partialFailures],
      resolved_location: { lat, lng, source },
      ...(geocode && { geocode }),
    }
  }

  /** Returns the JSON of the answer, with `start` instead of its first brace. */
  toText(start = '{'): string {
    return this.#template.textOf(this.place, this.outcomes, { fetched_at: this.#fetched_at, start })
  }

  /** The failed fields, and the names that are not in the catalog. */
  get partialFailures(): FetchAnswer['partial_failures'] {
    return this.#template.failures
  }
}
