import type { LocatedPlace } from '../place/locate.ts'
import type { FetchAnswer, FieldResult } from './fetch-answer.ts'
import type { FetchPlan } from './fetch-plan.ts'
import { resultJsonOf, resultOf, type FieldOutcome } from './field-plan.ts'

/** The fields of an answer that came from one source. Billed calls are counted separately, when they are made. */
export type SourceUsage = { source: string; fields: number }

/** The answer of a plan at one place, as an object and as JSON. */
export class PlaceAnswer {
  readonly #plan: FetchPlan
  readonly place: LocatedPlace
  readonly #fetched_at: string
  readonly outcomes: readonly FieldOutcome[]

  constructor(plan: FetchPlan, place: LocatedPlace, outcomes: readonly FieldOutcome[], fetched_at: string) {
    this.#plan = plan
    this.place = place
    this.#fetched_at = fetched_at
    this.outcomes = outcomes
  }

  /** Returns the answer as an object. */
  toJSON(): FetchAnswer {
    const { lat, lng, source, geocode } = this.place
    const fields: Record<string, FieldResult> = {}
    this.#plan.fields.forEach(({ name }, i) => {
      fields[name] = resultOf(this.outcomes[i]!)
    })
    return {
      lat,
      lng,
      fetched_at: this.#fetched_at,
      fields,
      partial_failures: this.partialFailures(),
      resolved_location: { lat, lng, source },
      ...(geocode && { geocode }),
    }
  }

  /** Returns the JSON of the answer. */
  toText(): string {
    return `{${this.membersText()}}`
  }

  /** Returns the members of the answer as JSON, without the braces around them. */
  membersText(): string {
    const { lat, lng, source, geocode } = this.place
    const { names } = this.#plan
    const at = `"lat":${lat},"lng":${lng},`
    let text = `${at}"fetched_at":"${this.#fetched_at}","fields":{`
    for (let i = 0; i < names.length; i++) text += `${i === 0 ? '' : ','}${names[i]!}${resultJsonOf(this.outcomes[i]!)}`
    const failures = this.#hasFailures() ? JSON.stringify(this.partialFailures()) : '[]'
    const resolved = `"resolved_location":{${at}"source":"${source}"}`
    return `${text}},"partial_failures":${failures},${resolved}${geocode ? `,"geocode":${JSON.stringify(geocode)}` : ''}`
  }

  /** The failed fields. */
  partialFailures(): FetchAnswer['partial_failures'] {
    return this.#plan.fields.flatMap(({ name }, i) => {
      const result = resultOf(this.outcomes[i]!)
      if (result.status !== 'failed') return []
      return [{ field: name, source: result.source, error: result.error, retryable: result.retryable }]
    })
  }

  /** The number of fields per source. */
  sourceUsages(): SourceUsage[] {
    const usages: SourceUsage[] = []
    for (const { members } of this.outcomes) {
      const { source } = members.object
      const usage = usages.find((it) => it.source === source)
      if (usage) usage.fields++
      else usages.push({ source, fields: 1 })
    }
    return usages
  }

  #hasFailures(): boolean {
    return this.outcomes.some(({ members }) => members.object.status === 'failed')
  }
}
