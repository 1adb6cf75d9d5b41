import { afterAll, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { BuiltInPlanner } from '../../src/ask/planner/built-in-planner.ts'
import { rootOf, stemOf } from '../../src/ask/planner/words.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { testDictionary } from '../support/test-dictionary.ts'
import { embeddedFile } from '../support/test-service.ts'

const catalog = createCatalog(contents)
const planner = new BuiltInPlanner(catalog, testDictionary)
const dictionary = openEmbeddedData(embeddedFile).englishWords().split('\n')
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

/** No field says any of these of an airport, a hospital, a town or a river. */
const modifiers = `
  with wifi | with a view | built in 1950 | with parking | with free parking | that is open at night |
  open on Sundays | with a restaurant | with a pool | with good food | with a control tower | with customs |
  with showers | with many gates | with a grass strip | with jet fuel | with cheap fuel | with electric chargers |
  that takes dogs | that allows dogs | which allows pets | for women | for children | for beginners |
  for seaplanes | for helicopters | for veterans | owned by the city | owned by a bank | named after a president |
  named after Lincoln | near a school | near the highway | beside the river | on an island | in the mountains |
  on a hill | in the woods | under a bridge | built before 1900 | built after 2000 | opened in 1950 |
  founded in 1890 | since 1970 | renovated last year | closed in 2020 | from the 1920s | over 50 years old |
  older than my house | under construction | in good condition | in bad shape | painted red | made of brick |
  made of wood | of concrete | with solar panels | with a garden | with a museum | with guided tours |
  with live music | with a playground | with air conditioning | with elevators | with wheelchair access |
  with stairs | without stairs | without crowds | without noise | without fees | with high ratings |
  with bad reviews | with five stars | with less traffic | with short lines | with friendly staff |
  that speaks Spanish | where English is spoken | where I can sleep | where I can camp | where smoking is allowed |
  where my cousin works | that sells beer | that serves coffee | that never closes | that floods often |
  that has wolves | that is haunted | that is safe | that was bombed | that burned down | that my father built |
  I can afford | I could walk to | people recommend | tourists like | pilots prefer | my aunt likes |
  used in movies | used by the army | used for training | used during the war | visited by presidents |
  shown on TV | famous for pie | known for delays | good for families | bad for asthma | suitable for weddings |
  ready for winter | full of tourists | close to downtown | far from the coast | within walking distance |
  within two blocks | across the street | behind the mall | facing south | with a south facing roof |
  with views of the ocean | with a waterfront | with an ocean view | with a dock | with a beach | with trees |
  with tall trees | with palm trees | with wildlife | with bears | with snow | with little snow |
  with clean water | with hard water | with a well | with a septic tank | with natural gas | with fiber internet |
  with cell service | with 5G | with low taxes | with no taxes | with low crime | with low rent |
  with cheap housing | with rich people | with young people | with many lawyers | with a mayor |
  with a Republican mayor | with good schools | with a university | with two beds | with 200 beds |
  with a helipad | with a lighthouse | with a cemetery | with a church | with a mosque | with a casino |
  with a dispensary | with a zoo | with a stadium | with a mall | with a grocery store | with an ice rink |
  with a ski lift | with a golf course | with tennis courts | with a running track | with hiking trails |
  with bike lanes | with sidewalks | with street lights | with gold | with oil | with dinosaurs | with fossils |
  with ghosts | with a lot of money | with license plates | at sea level | above 5000 feet | below freezing |
  at night | in summer | in 1850 | by boat | by bus | by train | on Mars | for free | for sale | for rent |
  on foot | with a roof terrace | built in the sixties | with free wifi | that my dog likes | with a gift shop |
  behind a gas station | with vending machines | where movies were filmed | with a parade | that has a gym |
  with a famous chef | painted by an artist
`
  .split('|')
  .map((it) => it.replaceAll(/\s+/g, ' ').trim())

test.each(['airport', 'hospital', 'town', 'river'])(
  'a plan is never of high relevance when the question says of a nearest %s what no field says',
  (noun) => {
    expect(new Set(modifiers).size).toBeGreaterThanOrEqual(200)
    const questions = modifiers.flatMap((it) => [`How far is the nearest ${noun} ${it}?`, `Is there a ${noun} ${it}?`])
    const high = questions.filter((question) => planner.plan(question).relevance === 'high')
    expect(high).toEqual([])
  },
)

/** The other things that the planner finds the nearest of. All words are said of them in turn. */
const otherNouns = `
  school | public school | fire station | police station | cafe | highway | rail line | port | heliport | dam | levee |
  lake | stream | wetland | volcano | fault | substation | transmission line | power plant | wind turbine |
  superfund site | brownfield | gas pipeline | weather station | tide station
`
  .split('|')
  .map((it) => it.trim())
/** What the fields of these nouns do say: capacity, or a word that names the same thing. */
const answered = new Set([
  'How far is the nearest public school near a school?',
  'How far is the nearest heliport with a helipad?',
  'Which big power plant is nearest?',
  'Which huge power plant is nearest?',
  'Which windy wind turbine is nearest?',
])

test.each(otherNouns.map((noun, turn) => [noun, turn] as const))(
  'a plan is never of high relevance when no field says what the question says of a %s',
  (noun, turn) => {
    const inTurn = <T>(list: readonly T[]) => list.filter((_, i) => i % 5 === turn % 5)
    const questions = [
      ...inTurn(qualifiers).map((word) => `Which ${word} ${noun} is nearest?`),
      ...inTurn(modifiers).map((it) => `How far is the nearest ${noun} ${it}?`),
    ]
    const high = questions.filter((question) => planner.plan(question).relevance === 'high')
    expect(high.filter((question) => !answered.has(question))).toEqual([])
  },
)

test.each(['airport', 'fault', 'highway', 'hospital', 'pipeline', 'police', 'pond'])(
  'an adjective before %s that is only related to a word of its fields answers nothing',
  (noun) => {
    const phrases = [...catalog.synonyms].filter(([, names]) =>
      names.some((it) => catalog.synonyms.get(noun)!.includes(it)),
    )
    const words = phrases.flatMap(([phrase]) => phrase.split(/[\s-]+/))
    const stems = new Set(words.map(stemOf))
    const roots = new Set(words.map(rootOf))
    const related = dictionary.filter((word) => roots.has(rootOf(word)) && !stems.has(stemOf(word)))
    expect(related.length).toBeGreaterThan(5)
    expect(related.filter((word) => planner.plan(`Which ${word} ${noun} is nearest?`).relevance === 'high')).toEqual([])
  },
)

test.each([
  'Is there a lake with a waterfront?',
  'Is there a power plant with a well?',
  'Is there a power plant that burned down?',
  'Which closed substation is nearest?',
  'Which abandoned rail line is nearest?',
  'Which windy transmission line is nearest?',
  'Which fast wind turbine is nearest?',
  'How far is the nearest weather station across the street?',
])('a word that only a text about the field has, or a phrase of it in another sense, answers nothing: %s', (question) =>
  expect(planner.plan(question).relevance).toBe('medium'),
)

test('what a question says of another subject is named, and so is a subject of a nearest thing', () => {
  expect(planner.plan('Is there an airport with wifi nearby?').unknownWords).toEqual(['with wifi'])
  expect(planner.plan('Which hospital built in 1950 is closest?').unknownWords).toEqual(['built in 1950'])
  expect(planner.plan('What is the flood zone of the nearest hospital?')).toMatchObject({
    relevance: 'medium',
    unknownWords: ['of the nearest hospital'],
  })
})

test.each([
  'Is there a hospital within 5 miles of here?',
  'How far is it from this house to the nearest airport in kilometers?',
  'What is the population of the nearest town?',
  'What is the elevation of the nearest airport?',
  'How far is the nearest hospital, and is this place in a flood zone?',
  'Is the nearest fire station more than 5 miles away?',
])('a question whose every word is answered keeps its relevance: %s', (question) => {
  expect(planner.plan(question).relevance).toBe('high')
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
