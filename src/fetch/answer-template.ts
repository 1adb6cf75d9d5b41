import { countResults, type FieldCounts } from './field-counts.ts'
import type { FieldOutcome, ResultMembers } from './field-outcome.ts'

/** The JSON of an answer around the values of its fields: `values[i]` is before value `i`, and the last is the end. */
type TextAround = { fetched_at: string; values: readonly string[] }

/** What the answers whose results have the same members share: what they count, and the JSON around their values. */
export class AnswerTemplate {
  readonly counts: FieldCounts
  readonly #names: readonly string[]
  readonly #members: readonly ResultMembers[]
  /** The JSON of the latest time, which many answers have. */
  #text: TextAround = { fetched_at: '', values: [] }

  constructor(names: readonly string[], members: readonly ResultMembers[]) {
    this.counts = countResults(members.map(({ object }) => object))
    this.#names = names
    this.#members = members
  }

  /** Whether these outcomes have its members. */
  fits(outcomes: readonly FieldOutcome[]): boolean {
    for (let i = 0; i < outcomes.length; i++) if (outcomes[i]!.members !== this.#members[i]) return false
    return true
  }

  /** Returns the JSON of the fields in an answer of this time, without the braces around them. */
  textOf(outcomes: readonly FieldOutcome[], fetched_at: string): string {
    if (this.#text.fetched_at !== fetched_at) this.#text = { fetched_at, values: this.#textAround(fetched_at) }
    const { values } = this.#text
    let text = ''
    for (let i = 0; i < outcomes.length; i++) text += values[i]! + outcomes[i]!.valueJson
    return text + values[outcomes.length]!
  }

  #textAround(fetched_at: string): string[] {
    const begins = this.#names.map((name) => `${JSON.stringify(name)}:{"value":`)
    const ends = this.#members.map(({ object, json }) =>
      object.fetched_at === undefined ? `${json.slice(0, -1)},"fetched_at":"${fetched_at}"}` : json,
    )
    return [...begins, ''].map((begin, i) => {
      const end = ends[i - 1] ?? ''
      return end === '' || begin === '' ? end + begin : `${end},${begin}`
    })
  }
}

/** Most answers of a plan have one of a few templates: at the sea, in Alaska, in a town. */
const templatesMax = 8

/** The latest templates of the answers of a plan. */
export class AnswerTemplates {
  readonly #names: readonly string[]
  /** The latest first. */
  readonly #templates: AnswerTemplate[] = []

  /** `names`: the fields of the plan. */
  constructor(names: readonly string[]) {
    this.#names = names
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
      )
    this.#templates.unshift(template)
    if (this.#templates.length > templatesMax) this.#templates.pop()
    return template
  }
}
