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

/** Answers the star when the overlay worker executes a script. An error in it is like an overlay that takes too long. */
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

const fail = 'throw new Error("too slow")'
const returnOutline = 'postMessage({ shared: data.rings, rest: new Float64Array(0) })'

describe('when the overlays of an area take too long', () => {
  test('the fields that need them are too_large, and the others are answered', async () => {
    const response = await answerWith(`({ data }) => { if (data.at) ${fail}; ${returnOutline} }`)
    expect(response.status).toBe(200)
    const { fields } = (await response.json()) as AreaAnswer
    expect(fields.summer_solstice_day_length_hours).toMatchObject({ status: 'ok' })
    for (const name of ['county', 'timezone'])
      expect(fields[name]).toMatchObject({
        status: 'failed',
        error:
          'too_large: The outline takes longer than 8 s to compare with the features here. Simplify it, or ask about a smaller area.',
        retryable: false,
      })
  })

  test('an outline that needs them itself is rejected', async () => {
    const response = await answerWith(`() => { ${fail} }`)
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({
      detail: [
        {
          loc: ['body', 'geometry'],
          msg: 'The outline takes longer than 8 s to compare with the features here. Simplify it, or ask about a smaller area',
        },
      ],
    })
  })
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
