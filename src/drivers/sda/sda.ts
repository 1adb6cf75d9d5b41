import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import { isRecord } from '../../model/record.ts'
import type { Budget, Value } from '../../model/source.ts'
import { parseJsonBody, decodeTextBody, smallJsonMax_bytes } from '../../net/content.ts'
import type { Reply } from '../../net/http-client.ts'
import { pointValues, fillText } from '../rest/url-template.ts'
import { defineDriver, t } from '../driver.ts'
import { upstreamRejection, unexpectedResponse } from '../driver-errors.ts'
import { isMarkup, excerptOf } from '../rest/reply.ts'
import { endpointHostOf } from '../rest/rest-request.ts'
import { createSoilHarvester, soilCopySettings, type RunSql } from './sda-harvest.ts'

/**
 * Soil Data Access. An SQL query returns one table for each statement with rows; its first row has the column names,
 * and every value is text or null. Datasets with the same statements share a request, and each takes its own table.
 */
export const sdaDriver = defineDriver({
  shapes: ['document'],
  config: t.Object({
    endpoint: t.String({ pattern: '^https?://' }),
    /** The statements, each under a column that only its table has. They may contain `{lon}` and `{lat}`. */
    sql: t.Record(t.String(), t.String()),
    /** The column that identifies the table of this dataset. */
    column: t.String(),
    copy: t.Optional(soilCopySettings),
    note: t.Optional(t.String()),
  }),
  open({ endpoint, sql, column }, _shape, { net }) {
    if (net === null) return null
    const runSql = createSqlRunner(endpoint, Object.keys(sql))
    const source = ({ at }: { at: Point }, budget: Budget) =>
      runSql({ sql: fillText(Object.values(sql).join('; '), pointValues(at)), column }, net, budget)
    return { source, vintage: null, remote: { host: endpointHostOf(endpoint) } }
  },
  canHarvest: ({ copy }) => copy !== undefined,
  harvest({ endpoint, copy }, { net }) {
    if (!copy) return null
    const runSql = createSqlRunner(endpoint, ['polygon_count', 'outline', 'unit'])
    return createSoilHarvester(copy, { host: endpointHostOf(endpoint), net, runSql })
  },
})

/** Returns a function that runs SQL. `columns`: the columns that identify the tables that it can return. */
function createSqlRunner(endpoint: string, columns: string[]): RunSql {
  const host = endpointHostOf(endpoint)
  return async ({ sql, column }, net, budget) => {
    const reply = await net.send(
      {
        url: endpoint,
        method: 'POST',
        body: JSON.stringify({ query: sql, format: 'JSON+COLUMNNAME' }),
        headers: { 'content-type': 'application/json' },
        deduplicate: true,
        cap_bytes: smallJsonMax_bytes,
      },
      budget,
    )
    return parseTables(reply, columns, host).find(([names]) => names!.includes(column)) ?? []
  }
}

/** The tables of a response. Statements without rows have no table; if none has rows, the response is `{}`. */
function parseTables(reply: Reply, columns: string[], host: string): Value[][][] {
  const text = decodeTextBody(reply)
  if (isMarkup(text)) throw reportError(text, host)
  const document = parseJsonBody(reply, host)
  if (!isRecord(document)) throw unexpectedResponse(host, 'an object', document)
  const tables = Object.values(document)
  if (tables.every(isTable) && tables.every(([names]) => columns.some((column) => names!.includes(column))))
    return tables
  throw unexpectedResponse(host, `tables with ${columns.join(' or ')}`, document)
}

function isTable(table: unknown): table is (string | null)[][] {
  return (
    Array.isArray(table) &&
    table.length > 0 &&
    table.every(
      (row) =>
        Array.isArray(row) &&
        row.length === table[0].length &&
        row.every((value) => value === null || typeof value === 'string'),
    )
  )
}

/** The error in a page or XML report: maintenance, rejected SQL, or unknown. */
function reportError(text: string, host: string): UpstreamError {
  if (/under daily maintenance/i.test(text))
    return new UpstreamError('upstream_5xx', `${host} is down for daily maintenance. Try again later.`)
  const rejection = /<ServiceException[^<>]*>([^<]*)/.exec(text)?.[1]
  if (rejection !== undefined) return upstreamRejection('upstream_rejected', host, excerptOf(rejection))
  return unexpectedResponse(host, 'JSON', text)
}
