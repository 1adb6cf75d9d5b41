import type { EmbeddedFile } from '../packs/embedded/embedded-file.ts'
import type { LocalAnswerCounts, LocalFields, LocationQuestion, RunWorkerInput } from './worker-messages.ts'

/** Decides which locations the run worker answers itself, and counts them. */
export type LocalAnswersDeps = {
  embedded: EmbeddedFile
  /** Returns the fields of a location if embedded data and vector packs serve them; else null. */
  fieldsOf(question: LocationQuestion): LocalFields | null
  /** Returns another object when the catalog or the packs have changed. */
  snapshot(): object
  onCounted(counts: LocalAnswerCounts[]): void
}

/** With fewer unanswered locations, the main thread answers a run: the worker loads no data for short runs. */
const unansweredMin = 200
/** The worker keeps about 30 KB for each list of fields. */
const fieldListsMax = 256

/**
 * Sends to a run worker the fields that it can answer itself, and takes them back when the catalog or the packs change.
 */
export class LocalFieldsSender {
  readonly #deps: LocalAnswersDeps
  readonly #post: (message: RunWorkerInput) => void
  /** The fields that were checked for the current catalog and packs. */
  readonly #checked = new Set<string>()
  #snapshot: object

  constructor(deps: LocalAnswersDeps, post: (message: RunWorkerInput) => void) {
    this.#deps = deps
    this.#post = post
    this.#snapshot = deps.snapshot()
  }

  /** Sends the fields of a location, so that the worker answers the other locations of its run itself. */
  offer(question: LocationQuestion, unanswered: number): void {
    if (unanswered < unansweredMin) return
    this.takeBackChanged()
    const key = question.fields.join('\n')
    if (this.#checked.has(key)) return
    this.#checked.add(key)
    const fields = this.#deps.fieldsOf(question)
    if (fields) this.#post({ localFields: { ...fields, embedded: this.#deps.embedded } })
  }

  /** Takes back all fields if the catalog or the packs have changed, or if there are too many lists of fields. */
  takeBackChanged(): void {
    const snapshot = this.#deps.snapshot()
    if (snapshot === this.#snapshot && this.#checked.size < fieldListsMax) return
    this.#snapshot = snapshot
    if (this.#checked.size > 0) this.#post({ localFields: null })
    this.#checked.clear()
  }
}
