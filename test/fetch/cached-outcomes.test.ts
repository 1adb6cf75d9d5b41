import { expect, test } from 'bun:test'
import { randomOf } from '../../scripts/bench/random.ts'
import { allScopes } from '../../src/auth/scope.ts'
import { FetchPlans } from '../../src/fetch/fetch-plan.ts'
import { providersByField } from '../../src/fetch/sources/providers.ts'
import type { Point } from '../../src/model/place.ts'
import { openTestService } from '../support/test-service.ts'
import { outcomesAt } from './fake-context.ts'

const seed = 20_261_123
/** Corners where counties meet, a border, the sea, Mexico, and an island. */
const edgeCases: Point[] = [
  { lat: 36.999084, lng: -109.045223 },
  { lat: 41, lng: -104.05 },
  { lat: 49, lng: -95.153711 },
  { lat: 27.4, lng: -73 },
  { lat: 30.5, lng: -106.5 },
  { lat: 51.88, lng: -176.65 },
]

test(`outcomes that a plan caches by feature equal those of a new plan (seed ${seed})`, async () => {
  const service = openTestService()
  const { app } = service
  const context = app.fetchContext({ id: 'owner', name: 'owner', scopes: new Set(allScopes) })
  const providers = providersByField(app.catalog, app.registry)
  const names = [...app.catalog.fields.keys()].filter((name) => providers.get(name)!.providers.length > 0)
  const random = randomOf(seed)
  const points = Array.from({ length: 40 }, () => ({ lat: 25 + 24 * random(), lng: -124 + 57 * random() }))
  const answers = async (at: Point, plans: FetchPlans) =>
    (await outcomesAt(context.placeAt(at), plans.select({ fields: names.slice(0, 50) }, 'none'), context)).map(
      (it) => ({
        value: it.value,
        text: `${it.valueJson}${it.members.json}`,
      }),
    )
  for (const at of [...edgeCases, ...points]) await answers(at, context.plans)
  for (const at of [...edgeCases, ...points])
    expect(await answers(at, context.plans)).toEqual(await answers(at, new FetchPlans(app.catalog, app.registry)))
  await service.close()
})
