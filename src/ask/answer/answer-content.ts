import type { UnitSystem } from './display-units.ts'
import type { Fact } from './fact.ts'
import type { PlaceFacts } from './place-comparison.ts'
import type { Plan } from '../planner/plan.ts'

/** What an answer is written from. `location` names the place of the request, for answers about several places. */
export type AnswerContent = {
  question: string
  facts: Fact[]
  location?: string
  otherPlaces?: PlaceFacts[]
  unlocatedNames?: string[]
  billedBy?: string[]
  plan?: Pick<Plan, 'relevance' | 'unknownWords' | 'related' | 'corrections'> | undefined
  units?: UnitSystem
}
