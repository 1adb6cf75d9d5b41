import { afterAll, describe, expect, test } from 'bun:test'
import type { AreaAnswer } from '../../src/areas/area-answer.ts'
import { randomComb } from '../areas/comb.ts'
import { positionsOf, seededRandom } from '../areas/random-polygons.ts'
import { openTestService } from '../support/test-service.ts'

const [x, y, size] = [-105, 39.5, 0.2]
const star = Array.from({ length: 5000 }, (_, i) => {
  const angle = (2 * Math.PI * i) / 5000
  const radius = i % 2 === 0 ? size : size / 2
  return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]
})
const geometry = { type: 'Polygon', coordinates: [[...star, star[0]]] }

/** Answers the star when the overlay worker executes a script. */
async function answerWith(script: string): Promise<Response> {
  const overlay = () => new Worker(`data:text/javascript,${encodeURIComponent(`self.onmessage = ${script}`)}`)
  const service = openTestService({}, { replacedWorkers: { overlay } })
  try {
    return await service.post('/v1/areas', {
      geometry,
      fields: ['county', 'timezone', 'summer_solstice_day_length_hours'],
    })
  } finally {
    await service.close()
  }
}

const waitForever = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'
const fail = 'throw new Error("broken")'
const returnOutline = 'postMessage({ shared: data.rings, rest: new Float64Array(0) })'
const tooLarge =
  'The outline takes longer than 8 s to compare with the features here. Simplify it, or ask about a smaller area'

/** Expects that the fields that compare the outline with features failed, and that the other one has a value. */
async function expectFailedFields(response: Response, error: string): Promise<void> {
  expect(response.status).toBe(200)
  const { fields } = (await response.json()) as AreaAnswer
  expect(fields.summer_solstice_day_length_hours).toMatchObject({ status: 'ok' })
  expect(fields.timezone).toMatchObject({ status: 'failed', error, retryable: false })
  expect(fields.county).toMatchObject({ status: 'failed', error: error.replace('timezone', 'county') })
}

test('when the overlays of an area take too long, it is too large: its fields, or the outline itself', async () => {
  const [inFields, inOutline] = await Promise.all([
    answerWith(`({ data }) => { if (data.at) ${waitForever}; ${returnOutline} }`),
    answerWith(`() => ${waitForever}`),
  ])
  await expectFailedFields(inFields, `too_large: ${tooLarge}.`)
  expect(inOutline.status).toBe(422)
  expect(await inOutline.json()).toMatchObject({ detail: [{ loc: ['body', 'geometry'], msg: tooLarge }] })
}, 60_000)

test('a broken overlay thread is an internal error: of the fields, or of the request', async () => {
  const inFields = await answerWith(`({ data }) => { if (data.at) ${fail}; ${returnOutline} }`)
  await expectFailedFields(inFields, 'internal_error: An internal error occurred while timezone was evaluated.')
  const inOutline = await answerWith(`() => { ${fail} }`)
  expect(inOutline.status).toBe(500)
})

describe('a comb with long teeth', () => {
  const service = openTestService()
  afterAll(() => service.close())

  test.each([
    { vertices: 10_000, angle_degrees: 0 },
    { vertices: 6_000, angle_degrees: 10 },
    { vertices: 4_000, angle_degrees: 22 },
    { vertices: 3_000, angle_degrees: 45 },
    { vertices: 2_000, angle_degrees: 67 },
    { vertices: 1_000, angle_degrees: 90 },
  ])('of $vertices vertices at $angle_degrees degrees has the area of its teeth', async (comb) => {
    const { ring, area_m2 } = randomComb(seededRandom(comb.vertices), { ...comb, west: -105.2, south: 39.4, size: 0.4 })
    const coordinates = [positionsOf(ring)]
    const body = { geometry: { type: 'Polygon', coordinates }, fields: ['county', 'timezone'] }
    const answer = (await (await service.post('/v1/areas', body)).json()) as AreaAnswer
    expect(answer.area_m2! / area_m2).toBeCloseTo(1, 9)
    for (const { status, covered_share } of Object.values(answer.fields)) {
      expect(status).toBe('ok')
      expect(covered_share).toBeCloseTo(1, 9)
    }
  })
})
