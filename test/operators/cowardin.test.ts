import { expect, test } from 'bun:test'
import { decodeCowardin } from '../../src/operators/value/cowardin.ts'

const classes = {
  UB: 'Unconsolidated Bottom',
  AB: 'Aquatic Bed',
  US: 'Unconsolidated Shore',
  SB: 'Streambed',
  EM: 'Emergent',
  SS: 'Scrub-Shrub',
  FO: 'Forested',
  OW: 'Open Water',
}

test.each([
  ['PEM1A', 'Emergent', 'Temporarily Flooded'],
  ['PFO1/EM1C', 'Forested/Emergent', 'Seasonally Flooded'],
  ['PFO1/4B', 'Forested', 'Seasonally Saturated'],
  ['PFO/SSE', 'Forested/Scrub-Shrub', 'Seasonally Flooded/Saturated'],
  ['L2AB3/UBHh', 'Aquatic Bed/Unconsolidated Bottom', 'Permanently Flooded'],
  ['PSS1/USA', 'Scrub-Shrub/Unconsolidated Shore', 'Temporarily Flooded'],
  ['PSS1/3C', 'Scrub-Shrub', 'Seasonally Flooded'],
  ['L1UBHh', 'Unconsolidated Bottom', 'Permanently Flooded'],
  ['R4SBCx', 'Streambed', 'Seasonally Flooded'],
  ['E2EM1P6', 'Emergent', 'Irregularly Flooded'],
  ['E1UBL', 'Unconsolidated Bottom', 'Subtidal'],
  ['M2USN', 'Unconsolidated Shore', 'Regularly Flooded'],
  ['POWHx', 'Open Water', 'Permanently Flooded'],
  ['R5UBH', 'Unconsolidated Bottom', 'Permanently Flooded'],
  ['PUBVh', 'Unconsolidated Bottom', 'Permanently Flooded-Fresh Tidal'],
  ['PEM1d', 'Emergent', null],
  ['Pf', null, null],
  [' PEM1A ', 'Emergent', 'Temporarily Flooded'],
])('%s is %p, %p', (code, kind, regime) => {
  expect(decodeCowardin(code, 'nwi_class', classes)).toBe(kind)
  expect(decodeCowardin(code, 'nwi_water_regime')).toBe(regime)
})

test.each(['Estuarine', 'Lake', 'Error', 'PEM1A performing'])('%p has no words', (code) => {
  expect(() => decodeCowardin(code, 'nwi_words')).toThrow('is not a Cowardin code')
})

test('null is null', () => expect(decodeCowardin(null, 'nwi_class', classes)).toBeNull())

test.each(['', 'U', 'wetland', 'XEM1A', 'PQQ1A', 'Estuarine', 'Error performing query operation'])(
  '%p is not a valid code',
  (code) => {
    expect(() => decodeCowardin(code, 'nwi_class', classes)).toThrow()
  },
)
