import { expect, test } from 'bun:test'
import golden from '../golden/geocodes.json' with { type: 'json' }
import { createGoldenGeocodes } from './golden-geocodes.ts'

test('addresses in packs get the same outcomes, however they are written (after a change: `npm run bless`)', async () => {
  expect(await createGoldenGeocodes()).toEqual(golden)
})
