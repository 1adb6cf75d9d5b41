import { isRecord } from '../../../src/model/record.ts'
import { jsonAnswer, type ServiceAnswer } from '../service.ts'
import type { RasterCatalog, SimulatedRaster } from './raster.ts'

/**
 * The year that a request names in its mosaic rule; the oldest when it names none, 0 when the raster has no years,
 * `null` when the rule is not understood.
 */
export function requestedItem(raster: SimulatedRaster, query: URLSearchParams): number | null {
  return requestedItems(raster, query)?.[0] ?? null
}

/** The years that a request names in its mosaic rule, the oldest first. */
export function requestedItems({ catalog }: SimulatedRaster, query: URLSearchParams): number[] | null {
  if (!catalog) return [0]
  const rule = query.get('mosaicRule')
  const years = yearsOf(catalog)
  if (!rule) return years
  const requested = recordOf(rule)
  if (requested?.mosaicMethod === 'esriMosaicLockRaster' && Array.isArray(requested.lockRasterIds))
    return years.filter((year) => (requested.lockRasterIds as unknown[]).includes(catalog.idOf(year)))
  const holds = typeof requested?.where === 'string' ? conditionOf(requested.where, catalog) : null
  return holds && years.filter(holds)
}

/** Returns the catalog attributes of a year named in `outFields`, or `null` if one is unknown. */
export function attributesOf(
  catalog: RasterCatalog,
  outFields: string,
): ((year: number) => Record<string, string | number>) | null {
  const requested = outFields.split(',').map((name) => name.trim().toLowerCase())
  const columns =
    requested[0] === '*'
      ? catalog.attributes
      : catalog.attributes.filter((name) => requested.includes(name.toLowerCase()))
  if (requested[0] !== '*' && columns.length !== requested.length) return null
  const [id, name] = catalog.attributes
  return (year) =>
    Object.fromEntries(
      columns.map((column) => [
        column,
        column === id ? catalog.idOf(year) : column === name ? catalog.nameOf(year) : year,
      ]),
    )
}

/** The answer to `/query` on the items. */
export function catalogOf({ catalog }: SimulatedRaster, query: URLSearchParams): ServiceAnswer {
  if (!catalog || query.has('outStatistics')) return arcgisErrorAnswer(400, 'Failed to execute query.')
  const holds = conditionOf(query.get('where') ?? '', catalog)
  const said = attributesOf(catalog, query.get('outFields') ?? catalog.attributes[0])
  if (!holds || !said) return arcgisErrorAnswer(400, 'Failed to execute query.')
  const years = yearsOf(catalog).filter(holds)
  if (/\bdesc\b/i.test(query.get('orderByFields') ?? '')) years.reverse()
  return jsonAnswer({
    objectIdFieldName: catalog.attributes[0],
    fields: Object.keys(said(catalog.first)).map((name) => ({
      name,
      alias: name,
      type: name === catalog.attributes[1] ? 'esriFieldTypeString' : 'esriFieldTypeInteger',
    })),
    features: years
      .slice(0, Number(query.get('resultRecordCount') ?? 1_000))
      .map((year) => ({ attributes: said(year) })),
  })
}

/** The years of a mosaic, oldest first. */
function yearsOf({ first, last }: RasterCatalog): number[] {
  return Array.from({ length: last - first + 1 }, (_one, nth) => first + nth)
}

/** An ArcGIS error: status 200. */
export function arcgisErrorAnswer(code: number, message: string): ServiceAnswer {
  return jsonAnswer({ error: { code, message, details: [] } })
}

function conditionOf(where: string, { attributes }: RasterCatalog): ((year: number) => boolean) | null {
  if (where.replaceAll(' ', '') === '1=1') return () => true
  const tests = where
    .split(/\s+and\s+/i)
    .map((one) => /^\s*(\w+)\s*(?:(=|>=|<=|>|<)\s*'?(\d{4})'?|\s(in)\s*\(((?:\s*'?\d{4}'?\s*,?)+)\))\s*$/i.exec(one))
  const names = attributes.slice(2).map((name) => name.toLowerCase())
  if (tests.some((test) => !test || !names.includes(test[1]!.toLowerCase()))) return null
  return (year) =>
    tests.every((test) =>
      test![4] ? test![5]!.match(/\d{4}/g)!.includes(String(year)) : compare[test![2]!]!(year, Number(test![3])),
    )
}

const compare: Record<string, (a: number, b: number) => boolean> = {
  '=': (a, b) => a === b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
}

function recordOf(text: string): Record<string, unknown> | null {
  try {
    const read: unknown = JSON.parse(text)
    return isRecord(read) ? read : null
  } catch {
    return null
  }
}
