import { describe, expect, test } from 'bun:test'
import { AdmissionQueue } from '../../src/fetch/admission.ts'
import type { OutcomeColumn } from '../../src/fetch/outcome-column.ts'
import { PlaceAnswer } from '../../src/fetch/place-answer.ts'
import { blockOf } from '../../src/fetch/place-block.ts'
import { fieldsPerRequestMax } from '../../src/catalog/records.ts'
import { ApiError, UpstreamError } from '../../src/model/error.ts'
import type { Place } from '../../src/model/place.ts'
import type { Feature } from '../../src/model/source.ts'
import { severalRows } from '../../src/packs/embedded/memory-layer.ts'
import { contentsOf, datasetOf, fieldOf } from '../support/catalog-contents.ts'
import {
  createTestContext,
  denver,
  failingOption,
  fakeOption,
  fetchBudget,
  outcomesAt,
  toronto,
} from './fake-context.ts'

const datasets = {
  areas: datasetOf({ service: 'areas', coverage: { regions: ['conus'], note: null } }),
  sites: datasetOf({ service: 'sites', uncertainty: { share: 0.1, least_m: 5, most_m: 50, note: 'Generalized.' } }),
  others: datasetOf({ service: 'others' }),
}
const contents = contentsOf(
  [
    fieldOf('name', { dataset: 'areas', op: 'attribute', attribute: 'NAME' }),
    fieldOf('code', { dataset: 'areas', op: 'attribute', attribute: 'CODE' }, { type: 'integer', unit: 'people' }),
    fieldOf(
      'distance',
      { dataset: 'sites', op: 'nearest_distance', search_radii_m: [10, 1000] },
      { type: 'float', unit: 'm', decimals: 1 },
    ),
    fieldOf('none', { dataset: 'sites', op: 'nearest_attribute', attribute: 'NAME', search_radii_m: [10] }),
    fieldOf('other', { dataset: 'others', op: 'attribute', attribute: 'NAME' }),
  ],
  { datasets },
)
const area: Feature = { properties: { NAME: 'Doña "Ana"\n', CODE: 7 }, distance_m: 0 }
const site: Feature = { properties: { NAME: 'Mine' }, distance_m: 123.456 }

/** Options of data in memory, which answer without a promise and count their queries. */
function openContext(features = [area]) {
  const queries: unknown[] = []
  const inMemory = (found: Feature[]) => ({
    ...fakeOption(() => []),
    inMemory: { rowSearch: () => ({ find: () => severalRows, distance_m: 0 }), areCoverage: false },
    source: (query: unknown) => {
      queries.push(query)
      return found
    },
  })
  const options = {
    areas: [inMemory(features)],
    sites: [inMemory([site])],
    others: [failingOption(new UpstreamError('timeout', 'It took too long.'))],
  }
  return { ...createTestContext(contents, options), queries }
}

describe('a plan', () => {
  test('is the same for the same fields, however they are selected, and another one for other fields', () => {
    const { plans } = openContext().context
    const plan = plans.select({ fields: ['name', 'code'] }, 'union')
    expect(plans.select({ fields: ['name', 'code'] }, 'union')).toBe(plan)
    expect(plans.select({ fields: ['code', 'name'] }, 'union')).not.toBe(plan)
    expect(plans.select({ fields: ['name', 'code'] }, 'explicit')).toBe(plan)
    expect(plans.planOf(plan.fields)).toBe(plan)
    expect(plans.planOf(plan.fields.slice(1))).not.toBe(plan)
    expect(plans.planOf(plan.fields.map((field) => ({ ...field })))).not.toBe(plan)
    expect(plans.select({ fields: ['code', 'name'] }, 'union').fields.map(({ name }) => name)).toEqual(['code', 'name'])
  })

  test('stays the same while longer lists of fields than a request may have are selected', () => {
    const { plans } = openContext().context
    const plan = plans.select({ fields: ['name', 'code'] }, 'none')
    for (let i = 1; i <= 600; i++)
      plans.select({ fields: Array.from({ length: fieldsPerRequestMax + i }, () => 'code') }, 'none')
    expect(plans.select({ fields: ['name', 'code'] }, 'none')).toBe(plan)
  })

  test('stays while it is used; of those that are not, the least recently used goes first', () => {
    const { plans } = openContext().context
    const names = ['name', 'code', 'distance', 'none', 'other']
    const used = plans.select({ fields: ['name', 'code'] }, 'none')
    const unused = plans.select({ fields: ['other', 'none'] }, 'none')
    const late = plans.select({ fields: ['none', 'other'] }, 'none')
    const select = (digits: number) =>
      plans.select({ fields: Array.from({ length: 6 }, (_, i) => names[Math.floor(digits / 5 ** i) % 5]!) }, 'none')
    const first = select(0)
    for (let i = 1; i < 700; i++) {
      select(i)
      expect(plans.select({ fields: ['name', 'code'] }, 'none')).toBe(used)
      if (i < 500) expect(plans.planOf(late.fields)).toBe(late)
    }
    expect(plans.select({ fields: ['other', 'none'] }, 'none')).not.toBe(unused)
    expect(select(0)).not.toBe(first)
    expect(select(699)).toBe(select(699))
  })

  test('of unknown names is an error, also when the names joined are those of a known plan', () => {
    const { plans } = openContext().context
    plans.select({ fields: ['name', 'code'] }, 'union')
    expect(() => plans.select({ fields: ['name\ncode'] }, 'union')).toThrow(ApiError)
    expect(() => plans.select({ preset: 'name', fields: ['code'] }, 'union')).toThrow(ApiError)
  })

  test('of data in memory answers without a promise, and sends each query once', () => {
    const { context, queries } = openContext()
    const plan = context.plans.select({ fields: ['name', 'code', 'distance'] }, 'none')
    const answer = plan.answer(blockOf([denver], fetchBudget, context))
    expect(answer).not.toBeInstanceOf(Promise)
    expect((answer as OutcomeColumn[]).map((column) => column.at(0).value)).toEqual(['Doña "Ana"\n', 7, 123.5])
    expect(queries).toEqual([
      { at: { lat: denver.lat, lng: denver.lng }, radius_m: 0 },
      { at: { lat: denver.lat, lng: denver.lng }, radius_m: 1000, limit: 1 },
    ])
  })

  test('with a field that waits answers with a promise', async () => {
    const { context } = openContext()
    const plan = context.plans.select({ fields: ['name', 'other'] }, 'none')
    const answer = plan.answer(blockOf([denver], fetchBudget, context))
    expect(answer).toBeInstanceOf(Promise)
    expect((await answer).map((column) => column.at(0).members.object.status)).toEqual(['ok', 'failed'])
  })

  test('writes the same JSON as its answer has as an object', async () => {
    const { context } = openContext()
    const plan = context.plans.select({ fields: ['name', 'code', 'distance', 'none', 'other'] }, 'none')
    for (const place of [denver, toronto, denver]) {
      const answer = new PlaceAnswer(plan, place, await outcomesAt(place, plan, context), '2026-11-21')
      expect(answer.toText()).toBe(JSON.stringify(answer))
    }
  })
})

test('a source whose edition differs between places has the edition of each place', async () => {
  const editions = { vintage: '2025', vintageAt: ({ region }: Place) => (region === null ? '2019' : '2025') }
  const { ask } = createTestContext(contents, { others: [fakeOption(() => [area], editions)] })
  for (const [place, vintage] of [
    [denver, '2025'],
    [toronto, '2019'],
    [denver, '2025'],
  ] as const)
    expect(await ask('other', place)).toMatchObject({ value: area.properties.NAME, dataset_vintage: vintage })
})

describe('an outcome that is kept for a feature', () => {
  test('is not used outside the coverage', async () => {
    const { ask } = openContext()
    expect(await ask('name')).toMatchObject({ value: area.properties.NAME })
    expect(await ask('name', toronto)).toMatchObject({ status: 'absent', absent_reason: 'outside_coverage' })
    expect(await ask('name')).toMatchObject({ value: area.properties.NAME })
  })

  test('is not used for several features', async () => {
    const other: Feature = { properties: { NAME: 'B', CODE: 8 }, distance_m: 0 }
    const features = [area]
    const { ask } = openContext(features)
    expect(await ask('name')).toMatchObject({ value: area.properties.NAME })
    features.unshift(other)
    expect(await ask('name')).toMatchObject({ value: 'B' })
  })
})

describe('work in a slot of admission', () => {
  test('that does not wait is done without a promise, and releases its slot, also after an error', () => {
    const admission = new AdmissionQueue(1, 0)
    expect(admission.runDirectly(() => 1, fetchBudget)).toBe(1)
    const fail = () => {
      throw new TypeError('bug')
    }
    expect(() => admission.runDirectly(fail, fetchBudget)).toThrow('bug')
    expect(admission.occupancy()).toEqual({ working: 0, waiting: 0 })
  })

  test('that waits keeps its slot until it is done', async () => {
    const admission = new AdmissionQueue(1, 0)
    const { promise, resolve } = Promise.withResolvers<number>()
    const work = admission.runDirectly(() => promise, fetchBudget)
    expect(admission.occupancy().working).toBe(1)
    expect(() => admission.runDirectly(() => 2, fetchBudget)).toThrow('queue is full')
    resolve(1)
    expect(await work).toBe(1)
    expect(admission.occupancy().working).toBe(0)
  })
})
