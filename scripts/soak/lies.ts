import * as ours from '../../catalog/contents.ts'
import type { CatalogContents, Field } from '../../src/catalog/records.ts'
import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import { judge } from '../../test/lies/declared-absences.ts'
import { judgeDistortions } from '../../test/lies/distorted-answers.ts'
import { distortions } from '../../test/lies/distortions.ts'
import { undetectable } from '../../test/lies/undetectable.ts'
import { lies, type Lie } from '../../test/lies/lies.ts'
import {
  networkQuestions,
  openLiar,
  openQuestioner,
  type Question,
  type Questioner,
} from '../../test/lies/lying-network.ts'
import { testPlaces, type PlaceName } from '../../test/upstreams/test-places.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

/** Places in the first and in the last rows of tables, with a weather alert, and without a flood map. */
const distortedPlaces: PlaceName[] = ['boulder', 'miami_beach', 'kansas', 'anchorage']

/**
 * Tests that no field takes a lie for a value or an absence: every lie at every place, right answers that are
 * distorted, and catalogs with planted faults, which the test must notice.
 */
export async function soakLies(places = Object.values(testPlaces)): Promise<Finding[]> {
  const questioner = openQuestioner()
  try {
    const believed = await judgeLies(questioner, places)
    const distorted = await judgeDistortions(questioner, distortedPlaces)
    const missed = await plantedFaultsMissed()
    for (const line of [...believed.lines, ...distorted.believed, ...missed]) console.error(line)
    return [
      atLeast('P20', 'answers to lies that were judged', believed.judged, 300 * lies.length),
      atMost(
        'P20',
        `lies, of ${lies.length} at ${places.length} places, that a field believed`,
        believed.lines.length,
        0,
      ),
      atLeast('P20', 'answers to distorted right answers that were judged', distorted.judged, 250),
      atMost(
        'P20',
        `distortions, of ${Object.keys(distortions).length} at ${distortedPlaces.length} places, that a field believed`,
        distorted.believed.length,
        0,
      ),
      atLeast('P20', 'rules about undetectable distortions that applied', distorted.rules.size, undetectable.length),
      atMost('P20', `planted faults, of ${plantedFaults.length}, that the test missed`, missed.length, 0),
      atMost('P20', 'bugs in the log', questioner.logged.filter((line) => line.includes('field_error')).length, 0),
    ]
  } finally {
    await questioner.close()
  }
}

type Judgement = { judged: number; lines: string[] }

/** Tells every lie at every place. */
async function judgeLies(questioner: Questioner, places: Question['at'][]): Promise<Judgement> {
  const found: Judgement = { judged: 0, lines: [] }
  for (const at of places) {
    const questions = await networkQuestions(questioner, [at])
    for (const lie of lies) {
      const results = await answersTo(questioner, lie, questions)
      found.judged += results.length
      const { believed } = judge(lie.name, questions, results, questioner.app)
      found.lines.push(...believed.map((line) => `${lie.name} at ${at.lat}, ${at.lng}: ${line}`))
    }
  }
  return found
}

async function answersTo(questioner: Questioner, lie: Lie, questions: Question[]): Promise<FieldResult[]> {
  const liar = openLiar(lie)
  try {
    return await questioner.answersFrom(liar.url, questions)
  } finally {
    liar.close()
  }
}

/** A change of the catalog that makes a field believe a lie. */
type PlantedFault = { field: string; lie: string; plant: (contents: CatalogContents) => CatalogContents }

const plantedFaults: PlantedFault[] = [
  {
    field: 'pm25_current_ug_m3',
    lie: '{"current":{}}',
    plant: (contents) => withRead(contents, 'pm25_current_ug_m3', { absent_when: ['missing'] }),
  },
  {
    field: 'active_weather_alerts_count',
    lie: 'an empty collection with an error',
    plant: (contents) =>
      withServing(contents, 'nws_alerts', { absent: { json_path: '$.error.message', matches: '.' } }),
  },
  {
    field: 'nhdplus_comid',
    lie: 'a sentence',
    plant: (contents) => withServing(contents, 'usgs_nldi', { absent: { text: '^[^<]' } }),
  },
  {
    field: 'surface_water_permanence_pct',
    lie: 'status 404',
    plant: (contents) => withServing(contents, 'jrc_gsw', { absent: { statuses: [404] } }),
  },
]

/** The planted faults that the judgement does not notice. */
async function plantedFaultsMissed(): Promise<string[]> {
  const missed: string[] = []
  for (const { field, lie, plant } of plantedFaults) {
    const questioner = openQuestioner(plant(ours))
    const questions = (await networkQuestions(questioner, [testPlaces.boulder])).filter((it) => it.field.name === field)
    const results = await answersTo(
      questioner,
      lies.find(({ name }) => name === lie)!,
      questions,
    )
    const { believed } = judge(`planted ${lie}`, questions, results, questioner.app)
    if (believed.length === 0) missed.push(`planted fault: ${field} with ${lie}`)
    await questioner.close()
  }
  return missed
}

function withRead(contents: CatalogContents, name: string, change: object): CatalogContents {
  const fields = contents.fields.map((field): Field =>
    field.name === name ? { ...field, read: { ...field.read, ...change } } : field,
  )
  return { ...contents, fields }
}

function withServing(contents: CatalogContents, id: string, change: object): CatalogContents {
  const dataset = contents.datasets[id]!
  const serve = dataset.serve.map((serving) => ({ ...serving, ...(serving.driver !== 'pack' && change) }))
  return { ...contents, datasets: { ...contents.datasets, [id]: { ...dataset, serve } } }
}
