import { afterAll, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { BuiltInPlanner } from '../../src/ask/planner/built-in-planner.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { createTownFinder } from '../../src/place/town-finder.ts'
import { embeddedFile } from '../support/test-service.ts'
import { answerHeldOut, heldOutQuestions } from './held-out.ts'
import { testDictionary } from '../support/test-dictionary.ts'

const catalog = createCatalog(contents)
const embedded = openEmbeddedData(embeddedFile)
const planner = new BuiltInPlanner(catalog, testDictionary)
afterAll(() => planner.close())

const minCorrect = 0.93
const maxConfidentlyWrong = 0.01

test('there are 300 held-out questions, and a third have no answer, are unclear, name another place or are misspelled', () => {
  expect(new Set(heldOutQuestions.map(({ question }) => question)).size).toBe(300)
  const hard = heldOutQuestions.filter(({ refusal, places, misspelled }) => refusal ?? places ?? misspelled)
  expect(hard.length).toBeGreaterThanOrEqual(99)
  const names = heldOutQuestions.flatMap(({ fields = [] }) => fields).flatMap((entry) => entry.split('|'))
  expect(names.filter((name) => !catalog.fields.has(name))).toEqual([])
})

test('without a model, held-out questions get the right fields or are refused, and hardly any wrong answer is confident', () => {
  const results = answerHeldOut(planner, createTownFinder(embedded))
  const share = (of: (it: (typeof results)[number]) => boolean, all = results) => all.filter(of).length / all.length
  const refused = results.filter(({ refusal }) => refusal !== undefined)
  const answered = results.filter(({ refusal }) => refusal === undefined)
  const correct = share(({ isCorrect }) => isCorrect)
  const confidentlyWrong = share(({ isConfidentlyWrong }) => isConfidentlyWrong)
  console.log(
    `held-out: ${correct.toFixed(3)} correct; fields ${share(({ isCorrect }) => isCorrect, answered).toFixed(3)}, of them confident ${share(({ confidence }) => confidence !== 'low', answered).toFixed(3)}; refusals ${share(({ isCorrect }) => isCorrect, refused).toFixed(3)}, of them without any field ${share(({ isFetching }) => !isFetching, refused).toFixed(3)}; confidently wrong ${confidentlyWrong.toFixed(3)}, of the refusals ${share(({ isConfidentlyWrong }) => isConfidentlyWrong, refused).toFixed(3)}`,
  )
  expect(correct).toBeGreaterThanOrEqual(minCorrect)
  expect(confidentlyWrong).toBeLessThanOrEqual(maxConfidentlyWrong)
})
