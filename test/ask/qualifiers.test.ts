import { afterAll, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { BuiltInPlanner } from '../../src/ask/planner/built-in-planner.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { testDictionary } from '../support/test-dictionary.ts'

const planner = new BuiltInPlanner(createCatalog(contents), testDictionary)
afterAll(() => planner.close())

/** No field says any of these of an airport. */
const qualifiers = `
  abandoned affordable ancient attractive automated bankrupt beautiful best big bilingual black blue bright broken
  bumpy busy calm certified charming cheap chilly clean closed colorful comfortable concrete controversial corrupt
  cozy crowded cursed cute dark damaged decorative deep delayed dry dull dusty efficient elegant empty enormous
  excellent exclusive expensive experimental failing famous fancy fashionable fast favorite filthy fine flexible
  fragile free freezing fresh friendly frozen full funny glamorous good great green grey haunted healthy heavy
  helpful hidden historic honest hot huge humid iconic illegal impressive independent industrial innovative
  international large lazy legendary leased licensed little lonely long loud lovely lucky luxurious major magical
  massive mediocre messy military minor modern muddy mysterious narrow neglected new nice noisy nonprofit
  notorious obsolete odd old open ordinary organic overpriced overrated painted peaceful permanent pink pleasant
  polluted poor popular portable powerful premium pretty private profitable quaint quiet rare rebuilt red reliable
  remote renovated respected rich romantic rotten round rude rural rustic sacred safe scary scenic seasonal secret
  secure shabby shady shiny silent sleepy slow small smelly smooth spacious spooky stable steep strange strict
  striking strong stylish sunny suspicious tall temporary terrible thriving tidy tiny tough trendy trusted ugly
  unfinished unionized unpopular unusual upscale urban useless vacant vintage warm weak wealthy weird wet white
  wicked wide wild windy wonderful wooden young
`
  .trim()
  .split(/\s+/)

test('a plan is never of high relevance when a qualifier found no field', () => {
  expect(qualifiers.length).toBeGreaterThanOrEqual(200)
  const relevances = qualifiers.map((word) => [word, planner.plan(`Which ${word} airport is nearest?`).relevance])
  expect(relevances.filter(([, relevance]) => relevance === 'high')).toEqual([])
})

test('a qualifier without a field is named, and one with a field keeps the relevance', () => {
  expect(planner.plan('Which big airport is nearest?').unknownWords).toEqual(['big'])
  expect(planner.plan('Which big river is nearest?').relevance).toBe('medium')
  const runway = planner.plan('Is there an airport with a long runway?')
  expect(runway.fields.map(({ name }) => name)).toContain('nearest_airport_longest_runway_ft')
  expect(runway.relevance).toBe('high')
  expect(planner.plan('Which airport is nearest?').relevance).toBe('high')
  expect(planner.plan('How far is the nearest busy road?').unknownWords).toEqual([])
})
