import { isRecord } from '../../../src/model/record.ts'
import { json, type Said } from '../service.ts'
import type { Catalog, Raster } from './raster.ts'

/** The year that a request names in its mosaic rule; the oldest when it names none, 0 when the raster has no years, `null` when the rule is not understood. */
export function itemAsked({ catalog }: Raster, query: URLSearchParams): number | null {
  if (!catalog) return 0
  const rule = query.get('mosaicRule')
  if (!rule) return catalog.first
  const asked = recordOf(rule)
  const years = yearsOf(catalog)
  if (asked?.mosaicMethod === 'esriMosaicLockRaster' && Array.isArray(asked.lockRasterIds)) return years.find((year) => (asked.lockRasterIds as unknown[]).includes(catalog.idOf(year))) ?? null
  const holds = typeof asked?.where === 'string' ? conditionOf(asked.where, catalog) : null
  return holds ? (years.find(holds) ?? null) : null
}

/** The answer to `/query` on the items. */
export function catalogOf({ catalog }: Raster, query: URLSearchParams): Said {
  if (!catalog || query.has('outStatistics')) return error(400, 'Failed to execute query.')
  const holds = conditionOf(query.get('where') ?? '', catalog)
  const outFields = (query.get('outFields') ?? catalog.attributes[0]).split(',').map((name) => name.trim().toLowerCase())
  const columns = outFields[0] === '*' ? catalog.attributes : catalog.attributes.filter((name) => outFields.includes(name.toLowerCase()))
  if (!holds || (outFields[0] !== '*' && columns.length !== outFields.length)) return error(400, 'Failed to execute query.')
  const years = yearsOf(catalog).filter(holds)
  if (/\bdesc\b/i.test(query.get('orderByFields') ?? '')) years.reverse()
  const attributesOf = (year: number) => Object.fromEntries(columns.map((name) => [name, name === catalog.attributes[0] ? catalog.idOf(year) : name === catalog.attributes[1] ? catalog.nameOf(year) : year]))
  return json({
    objectIdFieldName: catalog.attributes[0], fields: columns.map((name) => ({ name, alias: name, type: name === catalog.attributes[1] ? 'esriFieldTypeString' : 'esriFieldTypeInteger' })),
    features: years.slice(0, Number(query.get('resultRecordCount') ?? 1_000)).map((year) => ({ attributes: attributesOf(year) })),
  })
}

/** The years of a mosaic, oldest first. */
function yearsOf({ first, last }: Catalog): number[] {
  return Array.from({ length: last - first + 1 }, (_one, nth) => first + nth)
}

/** An ArcGIS error: status 200. */
export function error(code: number, message: string): Said {
  return json({ error: { code, message, details: [] } })
}

function conditionOf(where: string, { attributes }: Catalog): ((year: number) => boolean) | null {
  if (where.replaceAll(' ', '') === '1=1') return () => true
  const tests = where.split(/\s+and\s+/i).map((one) => /^\s*(\w+)\s*(=|>=|<=|>|<)\s*'?(\d{4})'?\s*$/.exec(one))
  const names = attributes.slice(2).map((name) => name.toLowerCase())
  if (tests.some((test) => !test || !names.includes(test[1]!.toLowerCase()))) return null
  return (year) => tests.every((test) => compare[test![2]!]!(year, Number(test![3])))
}

const compare: Record<string, (a: number, b: number) => boolean> = { '=': (a, b) => a === b, '>=': (a, b) => a >= b, '<=': (a, b) => a <= b, '>': (a, b) => a > b, '<': (a, b) => a < b }

function recordOf(text: string): Record<string, unknown> | null {
  try {
    const read: unknown = JSON.parse(text)
    return isRecord(read) ? read : null
  } catch {
    return null
  }
}
