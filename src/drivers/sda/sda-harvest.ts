import type { QueryBox } from '../../geo/boxes.ts'
import { attributeOf } from '../../geo/attribute.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Budget, Value } from '../../model/source.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { partsOfWkt } from '../../files/wkt.ts'
import { unexpectedResponse } from '../driver-errors.ts'
import { type FeatureHarvester, type KeyedDocument, splitList, mapInPairs } from '../harvest.ts'
import { createListHarvester } from '../rest/list-harvest.ts'
import type { GeoFeature } from '../features/nearest-features.ts'
import { t } from '../driver.ts'
import { fillText } from '../rest/url-template.ts'
import { positionsOfPath } from '../../geo/overlay/drawing.ts'

/** How the map units of an area are copied. The statements contain the box `{w} {s} {e} {n}`. */
export const soilCopySettings = t.Object({
  /** The number of map unit polygons that touch the box, in the column `polygon_count`. */
  count: t.String(),
  /** The polygons that touch the box: `mukey` and, as well-known text, `outline`. */
  polygons: t.String(),
  /** The rows of the table of this dataset for `{mukeys}`, after a column `unit` with the key of their map unit. */
  rows: t.String(),
})
type SoilCopySettings = { count: string; polygons: string; rows: string }

/** Runs SQL statements. Resolves with the table that has the column, without its rows if there are none. */
export type RunSql = (query: { sql: string; column: string }, net: HttpClient, budget: Budget) => Promise<Value[][]>

/** Creates the harvester of map unit polygons, and of the rows of their map units. */
export function createSoilHarvester(
  { count, polygons, rows }: SoilCopySettings,
  { host, net, runSql }: { host: string; net: HttpClient; runSql: RunSql },
): FeatureHarvester {
  const countPolygons = async (box: QueryBox, budget: Budget): Promise<number> => {
    const table = await runSql({ sql: fillText(count, box), column: 'polygon_count' }, net, budget)
    const polygonCount = Number(table[1]?.[0] ?? NaN)
    if (Number.isInteger(polygonCount)) return polygonCount
    throw unexpectedResponse(host, 'a number of polygons', table)
  }
  const requestPolygons = async (box: QueryBox, budget: Budget) => {
    const expected = await countPolygons(box, budget)
    if (expected > polygonsMax) return { features: [], isTruncated: true, total: null }
    const table = await runSql({ sql: fillText(polygons, box), column: 'outline' }, net, budget)
    const features = recordsOf(table).map((record) => polygonOf(record, host))
    if (features.length === expected) return { features, isTruncated: false, total: expected }
    throw new UpstreamError(
      'bad_response',
      `${host} counts ${expected} map unit polygons in a box, but returned ${features.length}. No pack was built.`,
    )
  }
  return {
    ...createListHarvester(host, requestPolygons),
    async estimate(boxes, budget) {
      const counts = await mapInPairs(boxes, (box) => countPolygons(box, budget))
      const features = counts.reduce((sum, polygonCount) => sum + polygonCount, 0)
      const requests =
        boxes.length * 3 + Math.ceil((4 * features) / polygonsMax) + Math.ceil(features / unitsPerRequest)
      return { requests, features, bytes: features * expectedPolygon_bytes }
    },
    documents: {
      keyAttribute: 'mukey',
      async copy(keys, journal, budget) {
        const recording = journal.recordReplies(net)
        const documents = await mapInPairs(splitList(keys, unitsPerRequest), async (mukeys) => {
          const sql = fillText(rows, { mukeys: mukeys.join(',') })
          return documentsOfUnits(mukeys, await runSql({ sql, column: 'unit' }, recording, budget))
        })
        return documents.flat()
      },
    },
  }
}

/** A reply of the service has at most 32 MB and 100,000 rows. */
const polygonsMax = 2_000
const unitsPerRequest = 100
/** For the estimate only. */
const expectedPolygon_bytes = 3_000

function recordsOf([names = [], ...rows]: Value[][]): Record<string, Value>[] {
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [String(name), row[i] ?? null])))
}

function polygonOf(record: Record<string, Value>, host: string): GeoFeature {
  const { outline, ...properties } = record
  const mukey = attributeOf(properties, 'mukey')
  if (typeof outline !== 'string' || typeof mukey !== 'string' || !/^\d+$/.test(mukey))
    throw unexpectedResponse(host, 'a mukey and an outline', record)
  const polygons = partsOfOutline(outline, host).flatMap(({ kind, paths }) =>
    kind === 'polygon' ? [paths.map(positionsOfPath)] : [],
  )
  return { geometry: { points: [], lines: [], polygons }, properties }
}

function partsOfOutline(outline: string, host: string): ReturnType<typeof partsOfWkt> {
  try {
    return partsOfWkt(outline)
  } catch (cause) {
    throw unexpectedResponse(host, 'an outline as well-known text', outline, { cause })
  }
}

/** One document for each map unit, in the form in which the service answers for one. */
function documentsOfUnits(mukeys: readonly string[], [names = [], ...rows]: Value[][]): KeyedDocument[] {
  const unit = names.indexOf('unit')
  const rowsByUnit = Map.groupBy(rows, (row) => String(row[unit]))
  return mukeys.map((key) => {
    const ofUnit = rowsByUnit.get(key) ?? []
    return { key, document: ofUnit.length === 0 ? [] : [names, ...ofUnit].map((row) => row.toSpliced(unit, 1)) }
  })
}
