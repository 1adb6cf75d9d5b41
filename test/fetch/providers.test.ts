import { describe, expect, test } from 'bun:test'
import { createCatalog } from '../../src/catalog/catalog.ts'
import type { Field, ReadSpec } from '../../src/catalog/records.ts'
import type { SourceOption } from '../../src/fetch/sources/source-registry.ts'
import { providersByField } from '../../src/fetch/sources/providers.ts'
import { contentsOf, datasetOf, fieldOf } from '../support/catalog-contents.ts'
import { createTestContext, fakeOption } from './fake-context.ts'

const datasets = {
  here: datasetOf(),
  also: datasetOf({ vintage: '2001' }),
  away: datasetOf({ vintage: '1999' }),
  county: datasetOf({ shape: 'document', serve: [{ driver: 'computed' }] }),
  computed: datasetOf({ shape: 'document', serve: [{ driver: 'computed' }] }),
  scenes: datasetOf({ shape: 'document', serve: [{ driver: 'computed' }] }),
}
const optionOf = (driver: SourceOption['driver'], vintage: string | null = null) =>
  fakeOption(() => [], { driver, vintage })
const options = {
  here: [optionOf('pack', '2024'), optionOf('embedded', '2010')],
  also: [optionOf('embedded')],
  county: [optionOf('table')],
  scenes: [optionOf('stac')],
}
const attribute = (dataset: string): ReadSpec => ({ dataset, op: 'attribute', attribute: 'A' })
const computedOf = (...inputs: string[]): ReadSpec => ({
  dataset: 'computed',
  op: 'computed',
  expression: '1',
  from: Object.fromEntries(inputs.map((it) => [it, it])),
})
const meters: Partial<Field> = { type: 'float', unit: 'm' }

/**
 * Returns the providers of a field with this read. Its inputs are `near_by`, which is available, and `far_off`, which
 * is not.
 */
function providersOfRead(read: ReadSpec) {
  const contents = contentsOf(
    [
      fieldOf('near_by', attribute('here'), meters),
      fieldOf('far_off', attribute('away'), meters),
      fieldOf('it', read, meters),
    ],
    { datasets },
  )
  return providersByField(createCatalog(contents), createTestContext(contents, options).context.registry).get('it')!
}

describe('a field can be answered by', () => {
  test.each<[string, ReadSpec, { providers: string[]; vintage: string | null }]>([
    [
      'the drivers of its dataset in order, with the vintage of the first',
      attribute('here'),
      { providers: ['pack', 'embedded'], vintage: '2024' },
    ],
    [
      'a driver without a vintage, with the vintage of the dataset',
      attribute('also'),
      { providers: ['embedded'], vintage: '2001' },
    ],
    ['nothing when its dataset has no option', attribute('away'), { providers: [], vintage: '1999' }],
    [
      'the drivers of its fallback when its dataset has none',
      { ...attribute('away'), fallback: [attribute('also')] },
      { providers: ['embedded'], vintage: '2001' },
    ],
    [
      'the drivers of all reads, without duplicates',
      { ...attribute('also'), fallback: [attribute('here')] },
      { providers: ['embedded', 'pack'], vintage: '2001' },
    ],
    [
      'a fallback of a fallback',
      { ...attribute('away'), fallback: [{ ...attribute('away'), fallback: [attribute('here')] }] },
      { providers: ['pack', 'embedded'], vintage: '2024' },
    ],
    ['computation from the point alone', computedOf('lat', 'lng'), { providers: ['computed'], vintage: null }],
    ['computation from available inputs', computedOf('near_by', 'lat'), { providers: ['computed'], vintage: null }],
    [
      'nothing when an input of the computation is not available',
      computedOf('near_by', 'far_off'),
      { providers: [], vintage: null },
    ],
    [
      'nothing when an input read is not available',
      { dataset: 'computed', op: 'computed', expression: 'x', from: { x: attribute('away') } },
      { providers: [], vintage: null },
    ],
    [
      'a fallback of the computation when its input is not available',
      { ...computedOf('far_off'), fallback: [attribute('here')] },
      { providers: ['pack', 'embedded'], vintage: '2024' },
    ],
    [
      'computation as a fallback',
      { ...attribute('away'), fallback: [computedOf('near_by')] },
      { providers: ['computed'], vintage: null },
    ],
    [
      'a document whose key is available',
      { dataset: 'county', op: 'row', key: 'near_by', column: 'POP' },
      { providers: ['table'], vintage: null },
    ],
    [
      'nothing when the key is not available',
      { dataset: 'county', op: 'row', key: ['near_by', 'far_off'], column: 'POP' },
      { providers: [], vintage: null },
    ],
  ])('%s', (_name, read, expected) => expect(providersOfRead(read)).toEqual(expected))
})
