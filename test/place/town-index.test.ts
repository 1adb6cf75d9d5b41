import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createTownIndex } from '../../src/place/town-index.ts'

const pair = fc.record({
  name: fc.oneof(
    fc.constantFrom('SPRINGFIELD', 'FRANKLIN', 'HAGÅTÑA', ''),
    fc.string({ unit: 'binary' }).map((it) => it.toWellFormed()),
  ),
  state: fc.constantFrom('CO', 'IL', 'MA', 'OH', 'MX'),
})

test('a name has each of its states once, in alphabetical order', () => {
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 100 }), (pairs) => {
      const names = createTownIndex()
      for (const { name, state } of pairs) {
        names.add(name, state)
        expect(names.statesOf(name)).toContain(state)
      }
      for (const { name } of pairs)
        expect(names.statesOf(name)).toEqual(
          [...new Set(pairs.filter((it) => it.name === name).map(({ state }) => state))].toSorted(),
        )
      expect(names.statesOf('nowhere at all')).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test('all names are found after the table grows', () => {
  const names = createTownIndex()
  const nameOf = (i: number) => `TOWN OF THE NUMBER ${i}`
  for (let i = 0; i < 100_000; i++) names.add(nameOf(i), `S${i % 50}`)
  for (let i = 0; i < 100_000; i += 37) expect(names.statesOf(nameOf(i))).toEqual([`S${i % 50}`])
  expect(names.statesOf(nameOf(100_000))).toEqual([])
})
