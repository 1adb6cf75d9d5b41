import { afterAll, expect, test } from 'bun:test'
import type { AreaAnswer } from '../../src/areas/area-answer.ts'
import { damagedGeometry } from '../areas/damaged-geometry.ts'
import { seededRandom } from '../areas/random-polygons.ts'
import { openTestService } from '../support/test-service.ts'

const service = openTestService()
afterAll(() => service.close())

/** Embedded polygons, nearest features, and values at a point. The soak suite `areas` has 5,000 and a raster. */
const fields = ['county', 'timezone', 'nearest_city_50k_name', 'summer_solstice_day_length_hours']
const cases = 400
/** An invalid geometry, one outside the United States, and a body that is too large. */
const rejections = [422, 400, 413]

test(`${cases} damaged geometries are rejected, or answered without a failure and with shares up to 1`, async () => {
  const seed = Math.floor(Math.random() * 1e9)
  const random = seededRandom(seed)
  const counts = { answered: 0, rejected: 0 }
  for (let i = 0; i < cases; i++) {
    const geometry = damagedGeometry(random, { west: -105.2, south: 39.6, size: 0.5 })
    const response = await service.post('/v1/areas', { geometry, fields })
    const problem = `seed ${seed}, ${JSON.stringify(geometry).slice(0, 2_000)}`
    if (response.status !== 200) {
      expect([problem, rejections.includes(response.status)]).toEqual([problem, true])
      counts.rejected++
      continue
    }
    const answer = (await response.json()) as AreaAnswer
    for (const [name, { status, value, covered_share }] of Object.entries(answer.fields)) {
      const { classes = [] } = (value ?? {}) as { classes?: { share: number }[] }
      const sum = classes.reduce((total, { share }) => total + share, 0)
      const isRight = status !== 'failed' && covered_share >= 0 && covered_share <= 1 && sum <= 1 + 1e-9
      expect([problem, name, isRight]).toEqual([problem, name, true])
    }
    counts.answered++
  }
  expect(Math.min(counts.answered, counts.rejected)).toBeGreaterThan(cases / 10)
})
