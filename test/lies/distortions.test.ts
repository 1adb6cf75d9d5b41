import { afterAll, beforeAll, expect, test } from 'bun:test'
import { judgeDistortions } from './distorted-answers.ts'
import { openQuestioner, type Questioner } from './lying-network.ts'

let questioner: Questioner
beforeAll(() => {
  questioner = openQuestioner()
})
afterAll(() => questioner.close())

test.each([
  'numbers of records are -999',
  'numbers of records are times 1,000',
  'texts of records are ""',
  'texts of records are "ZZ9"',
  'texts of records are "<b>Error</b>"',
  'texts of records are false',
  'texts of records are "Error performing query operation"',
  'numbers of records are 5e-324',
  'geometries are empty',
  'times of records are seconds',
])(
  'if %s, no field at a place has another value, unless a rule says why it cannot be noticed',
  async (name) => {
    const { judged, believed } = await judgeDistortions(questioner, ['boulder'], [name])
    expect(judged).toBeGreaterThan(250)
    expect(believed).toEqual([])
  },
  120_000,
)
