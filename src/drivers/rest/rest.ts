import type { Static } from '@sinclair/typebox'
import { numberOf } from '../../geo/attribute.ts'
import { singlePointError, unexpectedValue } from '../driver-errors.ts'
import { compileJsonPath } from '../../model/json-path.ts'
import { isNothingHere } from '../../model/document-markers.ts'
import { isPlainValue } from '../../model/record.ts'
import type { Budget, Grid, RasterQuery } from '../../model/source.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { createCountyHarvester, documentsOfAreas } from './document-harvest.ts'
import { defineDriver, t, type DatasetInfo } from '../driver.ts'
import type { JsonValue, KeyedDocument } from '../harvest.ts'
import { createCellHarvester, pointGridsSchema } from '../raster/point-cells.ts'
import { redactKey } from './reply.ts'
import { responseSettings, createReplyParser } from './rest-response.ts'
import { createCallBuilder, endpointHostOf, requestPlaceholders, requestSettings } from './rest-request.ts'

const config = t.Object({
  ...requestSettings,
  ...responseSettings,
  /** The path of the value of a raster, and the numbers that mean "no value". */
  json_path: t.Optional(t.String()),
  nodata: t.Optional(t.Array(t.Number())),
  /** The grids of a service that answers points. The value at the path `expects` is the same in a whole cell. */
  grids: t.Optional(pointGridsSchema),
  /** Every call is billed. */
  metered: t.Optional(t.Boolean()),
  note: t.Optional(t.String()),
})

/** A service that returns one JSON document per query. "Nothing here" becomes `nothingHere`. */
export const restDriver = defineDriver({
  shapes: ['document', 'raster'],
  config,
  open(config, shape, { net, now }, dataset) {
    const fetchDocument = createDocumentSource(config, dataset, now)
    if (net === null || fetchDocument === null) return null
    const host = endpointHostOf(config.endpoint)
    const fetchOnline = (query: RestQuery, budget: Budget) => fetchDocument(query, net, budget)
    return {
      source: shape === 'raster' ? createCellSource(fetchOnline, config, host) : fetchOnline,
      vintage: null,
      remote: { host, ...(config.metered && { metered: true }) },
    }
  },
  canHarvest: (config) => config.grids !== undefined || isKeyedByCounty(config),
  harvest(config, { net, now }, { id, attributes, apiKey, counties }) {
    const dataset = { id, key: apiKey, ttl_seconds: 0, ...(attributes && { attributes: [...attributes] }) }
    const fetchDocument = createDocumentSource(config, dataset, now)
    if (fetchDocument === null) return null
    const host = endpointHostOf(config.endpoint)
    if (config.grids) {
      const find = compileJsonPath(config.expects ?? '$')
      return createCellHarvester({
        host,
        net,
        grids: config.grids,
        read: async (at, client, budget) => (await fetchDocument({ at }, client, budget)) as JsonValue,
        comparedPart: find,
      })
    }
    if (!isKeyedByCounty(config)) return null
    const at = { lat: 0, lng: 0 }
    const ownDocument = async (key: string, client: HttpClient, budget: Budget): Promise<KeyedDocument> => ({
      key,
      document: (await fetchDocument({ at, key }, client, budget)) as JsonValue,
    })
    if (!requestPlaceholders(config).includes('for'))
      return createCountyHarvester({ host, net, counties }, 1, async (county, client, budget) => [
        await ownDocument(county, client, budget),
      ])
    return createCountyHarvester({ host, net, counties }, 3, async (county, client, budget) => [
      await ownDocument(county, client, budget),
      ...documentsOfAreas(await fetchDocument({ at, key: county, areas: 'tract' }, client, budget)),
      ...documentsOfAreas(await fetchDocument({ at, key: county, areas: 'block group' }, client, budget)),
    ])
  },
})

type RestSettings = Static<typeof config>
type RestQuery = Parameters<NonNullable<ReturnType<typeof createCallBuilder>>>[0]

/** Returns a function that requests a document. Null if an API key is needed and not set. */
function createDocumentSource(config: RestSettings, dataset: DatasetInfo, now: () => Date) {
  const buildCall = createCallBuilder(config, dataset, now)
  if (buildCall === null) return null
  const { acceptedStatuses, parseReply } = createReplyParser(config, endpointHostOf(config.endpoint))
  const billing = config.metered ? { metered: true as const } : {}
  return async (query: RestQuery, net: HttpClient, budget: Budget) =>
    parseReply(redactKey(await net.send({ ...buildCall(query), acceptedStatuses, ...billing }, budget), dataset.key))
}

/** Whether the request depends only on the county, or on the areas in it. */
function isKeyedByCounty(config: RestSettings): boolean {
  const names = requestPlaceholders(config).filter((name) => !placeholdersOfAllKeys.test(name))
  return names.length > 0 && names.every((name) => countyPlaceholders.has(name))
}

const placeholdersOfAllKeys = /^(key|variables|today-\d+y)$/
const countyPlaceholders = new Set(['county_fips', 'ss', 'ccc', 'for', 'in'])

/** Returns the value at a point as a raster of one cell. */
function createCellSource(
  fetchDocument: (query: Pick<RasterQuery, 'at'>, budget: Budget) => Promise<unknown>,
  { json_path = '$', nodata = [] }: Static<typeof config>,
  host: string,
) {
  const find = compileJsonPath(json_path)
  return async ({ at, radius_cells, radius_m = 0, edition, level }: RasterQuery, budget: Budget): Promise<Grid> => {
    if (radius_cells > 0 || radius_m > 0 || edition !== undefined || level !== undefined) throw singlePointError(host)
    const document = await fetchDocument({ at }, budget)
    const cell = isNothingHere(document) ? null : parseCell(find(document)[0], nodata, host)
    return { width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [cell] }
  }
}

function parseCell(found: unknown, nodata: number[], host: string): number | null {
  const value = isPlainValue(found) ? numberOf(found) : null
  if (value === null || !Number.isFinite(value)) throw unexpectedValue(host, 'a number', found)
  return nodata.includes(value) ? null : value
}
