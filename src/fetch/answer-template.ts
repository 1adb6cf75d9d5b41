import type { LocatedPlace } from '../place/locate.ts'
import type { UnknownField } from './catalog/select.ts'
import type { FetchAnswer } from './fetch-answer.ts'
import type { FieldOutcome, ResultMembers } from './outcome-column.ts'

/** The JSON of an answer around its values: `values[i]` is before value `i`, and the last is before the place. */
type TextAround = { fetched_at: string; values: readonly string[] }

/** What the answers whose results have the same members share: what they count, what failed, and most of the JSON. */
export class AnswerTemplate {
  readonly counts: FieldCounts
  /** The failed fields, and the names that are not in the catalog. */
  readonly failures: FetchAnswer['partial_failures']
  readonly #names: readonly string[]
  readonly #members: readonly ResultMembers[]
  /** The JSON of the latest time, which many answers have. */
  #text: TextAround = { fetched_at: '', values: [] }

  constructor(names: readonly string[], members: readonly ResultMembers[], unknown: readonly UnknownField[]) {
    this.counts = countResults(members.map(({ object }) => object))
    const failed = members.flatMap(({ object }, i) => {
      if (object.status !== 'failed') return []
      return [{ field: names[i]!, source: object.source, error: object.error, retryable: object.retryable }]
    })
    this.failures = [...failed, ...unknown]
    this.#names = names
    this.#members = members
  }

  /** Whether these outcomes have its members. */
  fits(outcomes: readonly FieldOutcome[]): boolean {
    for (let i = 0; i < outcomes.length; i++) if (outcomes[i]!.members !== this.#members[i]) return false
    return true
  }

  /** Returns the JSON of an answer of this time, with `start` instead of its first brace. */
  textOf({ lat, lng, source, geocode }: LocatedPlace, outcomes: readonly FieldOutcome[], answer: AnswerText): string {
    const { fetched_at, start } = answer
    if (this.#text.fetched_at !== fetched_at) this.#text = { fetched_at, values: this.#textAround(fetched_at) }
    const { values } = this.#text
    const at = `"lat":${lat},"lng":${lng},`
    let text = start + at
    for (let i = 0; i < outcomes.length; i++) text += values[i]! + outcomes[i]!.valueJson
    const echo = geocode ? `,"geocode":${JSON.stringify(geocode)}` : ''
    return text + values[outcomes.length]! + at + `"source":"${source}"}${echo}}`
  }

  #textAround(fetched_at: string): string[] {
    const begins = this.#names.map((name, i) => `${i === 0 ? '' : ','}${JSON.stringify(name)}:{"value":`)
    const ends = this.#members.map(({ object, json }) =>
      object.fetched_at === undefined ? `${json.slice(0, -1)},"fetched_at":"${fetched_at}"}` : json,
    )
    const first = `"fetched_at":"${fetched_at}","fields":{`
    const last = `},"partial_failures":${JSON.stringify(this.failures)},"resolved_location":{`
    return [first, ...ends].map((end, i) => end + (begins[i] ?? last))
  }
}

/** How the JSON of an answer begins, and its time. */
type AnswerText = { start: string; fetched_at: string }

/** Most answers of a plan have one of a few templates: at the sea, in Alaska, in a town. */
const templatesMax = 8

/** The latest templates of the answers of a plan. */
export class AnswerTemplates {
  readonly #names: readonly string[]
  readonly #unknown: readonly UnknownField[]
  /** The latest first. */
  readonly #templates: AnswerTemplate[] = []

  /** `names`: the fields of the plan. `unknown`: the names that are not in the catalog. */
  constructor(names: readonly string[], unknown: readonly UnknownField[] = []) {
    this.#names = names
    this.#unknown = unknown
  }

  /** Returns the template of an answer with these outcomes. */
  templateOf(outcomes: readonly FieldOutcome[]): AnswerTemplate {
    const at = this.#templates.findIndex((it) => it.fits(outcomes))
    if (at === 0) return this.#templates[0]!
    const [known] = at > 0 ? this.#templates.splice(at, 1) : []
    const template =
      known ??
      new AnswerTemplate(
        this.#names,
        outcomes.map(({ members }) => members),
        this.#unknown,
      )
    this.#templates.unshift(template)
    if (this.#templates.length > templatesMax) this.#templates.pop()
    return template
  }
}

/**
 * The fields of an answer, or of several `answers`, that came from one source. Billed calls are counted separately,
 * when they are made.
 */
export type SourceUsage = { source: string; fields: number; answers?: number }

/** What metrics and usage tell apart in a result. */
type CountedResult = { source: string } & ({ status: 'ok' | 'absent' } | { status: 'failed'; error: string })

/** What an answer adds to the metrics and to the usage of its account. */
export type FieldCounts = {
  /** One result for each source and status. Failed results are not joined. */
  results: { result: CountedResult; fields: number }[]
  usages: SourceUsage[]
  hasFailures: boolean
}

/** Returns what the results of one answer add. */
export function countResults(members: readonly CountedResult[]): FieldCounts {
  const results: FieldCounts['results'] = []
  const usages: SourceUsage[] = []
  for (const result of members) {
    const usage = usages.find(({ source }) => source === result.source)
    if (usage) usage.fields++
    else usages.push({ source: result.source, fields: 1 })
    const same = results.find((it) => isCountedTogether(it.result, result))
    if (same) same.fields++
    else results.push({ result, fields: 1 })
  }
  return { results, usages, hasFailures: members.some(({ status }) => status === 'failed') }
}

/** The errors of failed fields are counted by their codes. */
function isCountedTogether(one: CountedResult, other: CountedResult): boolean {
  return one.source === other.source && one.status === other.status && one.status !== 'failed'
}
