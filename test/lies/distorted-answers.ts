import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import type { PlaceName } from '../upstreams/test-places.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { distortions, openDistorter } from './distortions.ts'
import { networkQuestions, type Questioner } from './lying-network.ts'
import { ruleFor } from './undetectable.ts'

/** `believed`: lines about values that are neither right nor failed. `rules`: why others could not be noticed. */
type DistortedAnswers = { judged: number; believed: string[]; rules: Set<string> }

/**
 * Asks the simulated publishers through a server that distorts their answers. Each result must be the right one, or
 * failed, or one that a rule of `undetectable.ts` allows.
 */
export async function judgeDistortions(
  questioner: Questioner,
  places: PlaceName[],
  names = Object.keys(distortions),
): Promise<DistortedAnswers> {
  const upstreams = openUpstreams()
  const found: DistortedAnswers = { judged: 0, believed: [], rules: new Set() }
  try {
    for (const place of places) {
      const questions = await networkQuestions(questioner, [testPlaces[place]])
      const right = await questioner.answersFrom(upstreams.url, questions)
      for (const name of names) {
        const distorter = openDistorter(upstreams.url, distortions[name]!)
        const results = await questioner.answersFrom(distorter.url, questions)
        distorter.close()
        questions.forEach(({ field }, i) => addResult(found, { lie: name, field: field.name }, results[i]!, right[i]!))
      }
    }
    return found
  } finally {
    upstreams.close()
  }
}

function addResult(
  found: DistortedAnswers,
  { lie, field }: { lie: string; field: string },
  result: FieldResult,
  expected: FieldResult,
): void {
  found.judged++
  if (result.status === 'failed' || isSame(result, expected)) return
  const rule = ruleFor(lie, field, result)
  if (rule) found.rules.add(rule.reason)
  else found.believed.push(lineOf(lie, field, result, expected))
}

/** Another source of the field has another right answer, and its result names it. */
function isSame(result: FieldResult, expected: FieldResult): boolean {
  const valueOf = ({ status, value }: FieldResult) => JSON.stringify([status, value])
  const originOf = ({ driver, source, source_url }: FieldResult) => JSON.stringify([driver, source, source_url])
  return valueOf(result) === valueOf(expected) || originOf(result) !== originOf(expected)
}

function lineOf(lie: string, field: string, { status, value }: FieldResult, expected: FieldResult): string {
  return `${lie}: ${field} is ${status} ${JSON.stringify(value)} instead of ${JSON.stringify(expected.value)}`
}
