import { describe, expect, test } from 'bun:test'
import { createCatalog } from '../../src/catalog/catalog.ts'
import type { Field, ReadSpec } from '../../src/catalog/records.ts'
import type { SourceOption } from '../../src/fetch/source-registry.ts'
import { providersByField } from '../../src/fetch/providers.ts'
import { contentsOf, datasetOf, fieldOf } from '../support/catalog-contents.ts'
import { deskOf, way } from './fake-context.ts'

const datasets = {
  here: datasetOf(),
  also: datasetOf({ vintage: '2001' }),
  away: datasetOf({ vintage: '1999' }),
  county: datasetOf({ shape: 'document', serve: [{ driver: 'computed' }] }),
  computed: datasetOf({ shape: 'document', serve: [{ driver: 'computed' }] }),
  scenes: datasetOf({ shape: 'document', serve: [{ driver: 'computed' }] }),
}
const way1 = (driver: SourceOption['driver'], vintage: string | null = null) => way(() => [], { driver, vintage })
const ways = {
  here: [way1('pack', '2024'), way1('embedded', '2010')],
  also: [way1('embedded')],
  county: [way1('table')],
  scenes: [way1('stac')],
}
const attribute = (dataset: string): ReadSpec => ({ dataset, op: 'attribute', attribute: 'A' })
const computedOf = (...inputs: string[]): ReadSpec => ({
  dataset: 'computed',
  op: 'computed',
  expression: '1',
  from: Object.fromEntries(inputs.map((it) => [it, it])),
})
const metres: Partial<Field> = { type: 'float', unit: 'm' }

/** What can answer a field with this read, beside two fields: `near_by`, which can be answered, and `far_off`, which cannot. */
function provisionOf(read: ReadSpec) {
  const contents = contentsOf(
    [
      fieldOf('near_by', attribute('here'), metres),
      fieldOf('far_off', attribute('away'), metres),
      fieldOf('it', read, metres),
    ],
    { datasets },
  )
  return providersByField(createCatalog(contents), deskOf(contents, ways).desk.registry).get('it')!
}

describe('a field can be answered by', () => {
  test.each<[string, ReadSpec, { providers: string[]; vintage: string | null }]>([
    [
      'the ways of its dataset in order, in the edition of the first',
      attribute('here'),
      { providers: ['pack', 'embedded'], vintage: '2024' },
    ],
    [
      'a way without an edition, in that of the dataset',
      attribute('also'),
      { providers: ['embedded'], vintage: '2001' },
    ],
    ['nothing, where its dataset has no way', attribute('away'), { providers: [], vintage: '1999' }],
    [
      'the ways of its fallback, where its dataset has none',
      { ...attribute('away'), fallback: [attribute('also')] },
      { providers: ['embedded'], vintage: '2001' },
    ],
    [
      'the ways of all, each once',
      { ...attribute('also'), fallback: [attribute('here')] },
      { providers: ['embedded', 'pack'], vintage: '2001' },
    ],
    [
      'a fallback of a fallback',
      { ...attribute('away'), fallback: [{ ...attribute('away'), fallback: [attribute('here')] }] },
      { providers: ['pack', 'embedded'], vintage: '2024' },
    ],
    ['computation from the point alone', computedOf('lat', 'lng'), { providers: ['computed'], vintage: null }],
    ['computation from what can be had', computedOf('near_by', 'lat'), { providers: ['computed'], vintage: null }],
    [
      'nothing, where an input of the computation cannot be had',
      computedOf('near_by', 'far_off'),
      { providers: [], vintage: null },
    ],
    [
      'nothing, where an input of its own cannot be had',
      { dataset: 'computed', op: 'computed', expression: 'x', from: { x: attribute('away') } },
      { providers: [], vintage: null },
    ],
    [
      'a fallback of the computation, where its input cannot be had',
      { ...computedOf('far_off'), fallback: [attribute('here')] },
      { providers: ['pack', 'embedded'], vintage: '2024' },
    ],
    [
      'computation as a fallback',
      { ...attribute('away'), fallback: [computedOf('near_by')] },
      { providers: ['computed'], vintage: null },
    ],
    [
      'a document whose key can be had',
      { dataset: 'county', op: 'row', key: 'near_by', column: 'POP' },
      { providers: ['table'], vintage: null },
    ],
    [
      'nothing, where the key cannot be had',
      { dataset: 'county', op: 'row', key: ['near_by', 'far_off'], column: 'POP' },
      { providers: [], vintage: null },
    ],
  ])('%s', (_name, read, provision) => {
    expect(provisionOf(read)).toEqual(provision)
  })
})
