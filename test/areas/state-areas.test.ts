import { afterAll, expect, test } from 'bun:test'
import { openTestService } from '../support/test-service.ts'
import { stateAreasOf } from './state-areas.ts'

const service = openTestService()
afterAll(() => service.close())

// The soak suite `areas` has all states, beside the unions of PostGIS.
test.each(['CO', 'KS', 'WY', 'RI', 'DE', 'HI', 'PR', 'VA'])(
  'the counties of %s add up to the state, and to the published areas of land and water',
  async (usps) => {
    await service.ready
    const { sum_m2, union_m2, outline_m2, published_m2 } = await stateAreasOf(service.app, usps)
    expect(Math.abs(sum_m2 / union_m2 - 1)).toBeLessThan(1e-8)
    expect(Math.abs(outline_m2 / published_m2 - 1)).toBeLessThan(1e-4)
  },
)
