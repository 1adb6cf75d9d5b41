import { join } from 'node:path'
import type { BuiltInPlanner } from '../../src/ask/planner/built-in-planner.ts'
import type { TownFinder } from '../../src/place/town-finder.ts'

/**
 * A question of `held-out.jsonl`. Of an entry `a|b` of `fields`, one must be chosen. `refusal`: no field answers it, or
 * it is unclear what it asks. `places` are other places that it names.
 */
type HeldOutQuestion = {
  question: string
  fields?: string[]
  refusal?: 'no_field' | 'unclear'
  places?: string[]
  misspelled?: true
}

/**
 * 300 questions of an author who saw only names, units and descriptions of fields, written after the planner was tuned.
 * The planner may not be tuned with them.
 */
export const heldOutQuestions: HeldOutQuestion[] = (await Bun.file(join(import.meta.dir, 'held-out.jsonl')).text())
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as HeldOutQuestion)

/** How a plan answers a held-out question. A refusal is correct when the confidence is low. */
export type HeldOutResult = HeldOutQuestion & {
  isCorrect: boolean
  isConfidentlyWrong: boolean
  isFetching: boolean
  confidence: 'high' | 'medium' | 'low'
}

/** Plans all held-out questions. */
export function answerHeldOut(planner: BuiltInPlanner, findTown: TownFinder): HeldOutResult[] {
  return heldOutQuestions.map((it) => {
    const { fields, places, relevance } = planner.plan(it.question, findTown)
    const names = new Set(fields.map(({ name }) => name))
    const hasFields = (it.fields ?? []).every((entry) => entry.split('|').some((name) => names.has(name)))
    const hasPlaces = (it.places ?? []).every((place) => places.some(({ text }) => text.startsWith(place)))
    const isRefusal = it.refusal !== undefined
    return {
      ...it,
      isCorrect: isRefusal ? relevance === 'low' : hasFields && hasPlaces,
      isConfidentlyWrong: isRefusal && relevance !== 'low',
      isFetching: names.size > 0,
      confidence: relevance,
    }
  })
}
