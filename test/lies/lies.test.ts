import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { declaredAbsences, judge } from './declared-absences.ts'
import { lies } from './lies.ts'
import { networkQuestions, openLiar, openQuestioner, type Question, type Questioner } from './lying-network.ts'

let questioner: Questioner
let questions: Question[]
const confirmed = new Set<string>()
beforeAll(async () => {
  questioner = openQuestioner()
  questions = await networkQuestions(questioner, Object.values(testPlaces))
  // Where Macrostrat is the only source of a field, its empty list says that it has no map unit there.
  const { fields } = questioner.app.catalog
  for (const name of ['bedrock_unit_name', 'bedrock_lithology_class'])
    questions.push({ field: fields.get(name)!, at: testPlaces.anchorage })
})
afterAll(() => questioner.close())

test('most fields of the catalog need the network at one of the places', () => {
  expect(questions.length).toBeGreaterThan(300)
  expect(questions.length).toBeGreaterThan(0.8 * questioner.app.catalog.fields.size)
})

test.each(lies.map((lie) => [lie.name, lie] as const))(
  'a server that answers %s to everything gives no field a value or an absence, unless a record declares it',
  async (name, lie) => {
    const liar = openLiar(lie)
    let results: FieldResult[]
    try {
      results = await questioner.answersFrom(liar.url, questions)
    } finally {
      liar.close()
    }
    const { believed, used } = judge(name, questions, results, questioner.app)
    for (const dataset of used) confirmed.add(`${name} ${dataset}`)
    expect(believed).toEqual([])
    expect(results.filter((result) => result.status === 'failed' && result.error.startsWith('internal_error'))).toEqual(
      [],
    )
  },
)

test('every declared absence occurs, so that the list has no entry too many', () => {
  const declared = Object.entries(declaredAbsences).flatMap(([name, datasets]) =>
    datasets.map((dataset) => `${name} ${dataset}`),
  )
  expect([...confirmed].toSorted()).toEqual(declared.toSorted())
})
