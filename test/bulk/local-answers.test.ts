import { afterAll, describe, expect, test } from 'bun:test'
import { randomOf } from '../../scripts/bench/random.ts'
import type { BulkJob } from '../../src/bulk/bulk-job.ts'
import { createLocalAnswers } from '../../src/bulk/local-answers.ts'
import { AnswerCounter, reportOfCounts } from '../../src/bulk/unanswered-rows.ts'
import { ApiError } from '../../src/model/error.ts'
import { placeAt } from '../../src/place/locate.ts'
import {
  artifactRowOfError,
  cellOfOutcome,
  rowOfCells,
  type ArtifactRow,
} from '../../src/runs/artifacts/artifact-row.ts'
import { recordsOfText } from '../../src/files/table/csv-records.ts'
import { resultTextOf, textOfRow, type ResultFormat } from '../../src/runs/artifacts/result-text.ts'
import { uploadColumnsOf, type UploadColumns } from '../../src/files/table/upload-columns.ts'
import { createUploadRowReader } from '../../src/runs/upload/upload-table.ts'
import { outcomesAt } from '../fetch/fake-context.ts'
import { openTestService } from '../support/test-service.ts'
import { words } from '../support/words.ts'

const service = openTestService()
afterAll(() => service.close())
const { embedded, packs, plans, snapshot, log } = service.app
const now = () => new Date('2026-11-23T12:00:00Z')
const deps = { embedded, packs, snapshot, log, now }
const fields = words`
  county state timezone nearest_airport_distance_m h3_cell_res9 utm_zone political_locality
`

function jobOf(header: string[], format: ResultFormat, { names = fields, delimiter = ',' } = {}): BulkJob {
  return {
    table: {
      kind: 'fetch_batch',
      columns: uploadColumnsOf(header, 'fetch_batch') as UploadColumns,
      delimiter,
      firstLine: 1,
    },
    shape: {
      fields: names,
      marginFields: ['county'],
      inputColumns: header,
      hasOriginalIndex: false,
      hasGeocodes: false,
      hasReasons: true,
    },
    format,
    fieldTypes: {},
    now_ms: now().getTime(),
  }
}

/** Answers the rows of a text one by one, as a run on the server does. */
async function answerOneByOne({ table, shape, format }: BulkJob, text: string, first: number) {
  const plan = plans.select({ fields: shape.fields }, 'none')
  const readRow = createUploadRowReader(table)
  const counter = new AnswerCounter()
  const texts: string[] = []
  let index = first
  for (const record of recordsOfText(text, table.delimiter, 2)) {
    const row = await readRow(record)
    const answered = 'error' in row ? artifactRowOfError(index, row.error, {}, shape.fields) : await answer(row.input)
    answered.passthrough = row.cells
    counter.add(answered, shape.fields)
    texts.push(textOfRow(resultTextOf(format, shape).row, answered))
    index++
  }
  return { text: texts.join(resultTextOf(format, shape).separator), texts, report: reportOfCounts(counter.counts()) }

  async function answer(input: object): Promise<ArtifactRow> {
    try {
      const { lat, lng } = placeAt(() => embedded.layer('counties'), input as { lat: number; lng: number })
      const place = placeAt(() => embedded.layer('counties'), { lat, lng })
      const outcomes = await outcomesAt(place, plan, { log, now })
      return rowOfCells({ index, lat, lng }, outcomes.map(cellOfOutcome), shape.fields)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return artifactRowOfError(index, error, input, shape.fields)
    }
  }
}

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

const block = (text: string, job: BulkJob) => ({
  first: 7,
  line: 2,
  text,
  rows: [...recordsOfText(text, job.table.delimiter, 2)].length,
})

/** Lines with everything that a row can have. */
function lines(seed: number, delimiter: string): string {
  const random = randomOf(seed)
  const one = <T>(...of: T[]) => of[Math.floor(random() * of.length)]!
  const degrees = (value: number) =>
    one(value.toFixed(6), value.toFixed(2), `${Math.round(value)}`, `${Math.round(value)}.`, ` ${value}`, `${value}0`)
  const name = () =>
    one('', 'a', 'Cañon', '=1+2', '-3.5', '+x', '@home', 'a|b', '\ta', '\u0000', '0', 'x y ', '日本', '\u2028', '\\')
  return Array.from({ length: 60 }, () => {
    const [lat, lng] = [degrees(24 + 26 * random()), degrees(-125 + 59 * random())]
    return one(
      [name(), lat, lng],
      [name(), lat, lng],
      [name(), lat, lng],
      [name(), lat, lng, ''],
      [name(), lat],
      [name(), '-0.0', '-0'],
      [name(), '1e1', lng],
      [name(), '00.5', lng],
      [name(), 'x', lng],
      [name(), lat, lng, name(), name()],
    ).join(delimiter)
  }).join(one('\n', '\r\n', '\n\n'))
}

describe('the answers of a block', () => {
  for (const format of ['csv', 'geojson', 'ndjson'] as const)
    test(`have the bytes and the counts of rows that are answered one by one: ${format}`, async () => {
      for (let seed = 1; seed <= 12; seed++) {
        const delimiter = seed % 3 === 0 ? ';' : ','
        const job = jobOf(['name', 'lat', 'lng'], format, {
          delimiter,
          names: seed % 4 === 0 ? [...fields, 'elevation'] : fields,
        })
        const answer = createLocalAnswers(job, deps)
        let text = lines(seed, delimiter)
        if (seed % 2 === 0)
          text += `\n"a ""b""\nc"${delimiter}39.7${delimiter}-105.0\n"x"y${delimiter}1\n${lines(99, delimiter)}`
        if (seed === 5) text += `\nb\uFFFD,39,-105`
        for (const ending of ['', '\n']) {
          const { text: bytes, counts } = await answer(block(text + ending, job))
          const expected = await answerOneByOne(job, text + ending, 7)
          expect(decode(bytes)).toBe(expected.text)
          expect(reportOfCounts(counts)).toEqual(expected.report)
        }
      }
    })

  test('are the texts of the rows that were selected', async () => {
    const job = jobOf(['name', 'lat', 'lng'], 'csv')
    const text = lines(3, ',')
    const { texts } = await answerOneByOne(job, text, 7)
    const selected = { ...block(text, job), only: [8, 20, 41] }
    const { rowTexts, only } = await createLocalAnswers(job, deps)(selected)
    expect(only).toEqual([8, 20, 41])
    expect(rowTexts).toEqual([texts[1]!, texts[13]!, texts[34]!])
  })

  test('leave the rows open that need another server, and count only the others', async () => {
    const job = jobOf(['name', 'lat', 'lng'], 'csv')
    const text = 'at sea,27.4,-73\nDenver,39.7392,-104.9903\nat sea,27.5,-73\nMiami,25.7617,-80.1918\n'
    const { texts } = await answerOneByOne(job, text, 7)
    const others = await answerOneByOne(job, text.replace(/(?:Denver|Miami).*\n/g, ''), 7)
    await using online = openTestService({ FIELDSTONE_OFFLINE: '0' })
    const answer = createLocalAnswers(job, { ...online.app, log, now })
    for (let i = 0; i < 2; i++) {
      const answered = await answer(block(text, job))
      const [first, , third] = texts
      expect(answered.open).toEqual([
        { index: 8, at_byte: encode(first!).length },
        { index: 10, at_byte: encode(first! + third!).length },
      ])
      expect(decode(answered.text)).toBe(first! + third!)
      expect(reportOfCounts(answered.counts)).toEqual(others.report)
    }
  })

  test('fail if the block does not have the rows that it says', () => {
    const job = jobOf(['lat', 'lng'], 'csv')
    const wrong = { first: 0, line: 2, rows: 3, text: '39,-105\n40,-105\n' }
    expect(createLocalAnswers(job, deps)(wrong)).rejects.toThrow('A block of 3 rows was read as 2 rows.')
  })
})
