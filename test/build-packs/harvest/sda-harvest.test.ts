import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { QueryBox } from '../../../src/geo/boxes.ts'
import type { Value } from '../../../src/model/source.ts'
import { openFolderJournal } from '../../../src/build-packs/harvest/journal.ts'
import { createSoilHarvester, type RunSql } from '../../../src/drivers/sda/sda-harvest.ts'
import type { HttpClient } from '../../../src/net/http-client.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const root = temporaryFolder()
const budget = { signal: new AbortController().signal }
const box = '{w} {s} {e} {n}'
const statements = { count: `count ${box}`, polygons: `polygons ${box}`, rows: 'rows {mukeys}' }
const area: QueryBox = { w: 0, s: 0, e: 8, n: 8 }
const net = { send: () => Promise.reject(new Error('not used')) } as unknown as HttpClient

/** Map unit polygons of one degree, in a row. */
const outlineOf = (x: number) => `POLYGON ((${x} 0, ${x + 1} 0, ${x + 1} 1, ${x} 1, ${x} 0))`

/** A service with this many polygons per box of a size, which answers with `change`d tables. */
function soilService(countOf: (width: number) => number, change: (table: Value[][]) => Value[][] = (it) => it) {
  const boxes: string[] = []
  const runSql: RunSql = ({ sql }) => {
    const [statement, w, , e] = sql.split(' ')
    const count = countOf(Number(e) - Number(w))
    if (statement === 'count') return Promise.resolve([['polygon_count'], [String(count)]])
    if (statement === 'rows')
      return Promise.resolve(
        change([
          ['unit', 'muname'],
          ['1', 'loam'],
          ['1', 'sand'],
        ]),
      )
    boxes.push(sql)
    const rows = Array.from({ length: count }, (_, i): Value[] => [String(i + 1), outlineOf(i)])
    return Promise.resolve(change([['mukey', 'outline'], ...rows]))
  }
  return { boxes, harvester: createSoilHarvester(statements, { host: 'soil.example', net, runSql }) }
}

let folders = 0
const openJournal = () => openFolderJournal(join(root, String(++folders)), { now: () => new Date(), onPage: () => {} })

describe('The map units of an area are copied', () => {
  test('with their outlines and keys', async () => {
    const [layer] = await soilService(() => 3).harvester.copy([area], openJournal(), budget)
    expect(layer).toMatchObject({ features: 3, columns: ['mukey'] })
  })

  test('in quarters, where a box has more polygons than a reply', async () => {
    const { boxes, harvester } = soilService((width) => (width > 2 ? 2_001 : 1))
    const [layer] = await harvester.copy([area], openJournal(), budget)
    expect([layer!.features, boxes.length]).toEqual([16, 16])
  })

  test('with one document for each map unit, also for one without rows', async () => {
    const { documents } = soilService(() => 3).harvester
    expect(await documents!.copy(['1', '2'], openJournal(), budget)).toEqual([
      { key: '1', document: [['muname'], ['loam'], ['sand']] },
      { key: '2', document: [] },
    ])
  })
})

describe('A soil service that lies is caught:', () => {
  test('it counts more polygons than it returns', async () => {
    const { harvester } = soilService(
      () => 3,
      (table) => table.slice(0, -1),
    )
    expect(harvester.copy([area], openJournal(), budget)).rejects.toMatchObject({
      code: 'bad_response',
      message: 'soil.example counts 3 map unit polygons in a box, but returned 2. No pack was built.',
    })
  })

  test('it returns polygons without a key or an outline', async () => {
    for (const row of [
      [null, outlineOf(0)],
      ['1', null],
      ['1', 'POLYGON ((1'],
    ]) {
      const { harvester } = soilService(
        () => 1,
        ([names]) => [names!, row],
      )
      expect(harvester.copy([area], openJournal(), budget)).rejects.toMatchObject({ code: 'bad_response' })
    }
  })
})
