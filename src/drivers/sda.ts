import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import { isRecord } from '../model/record.ts'
import type { Budget, Value } from '../model/source.ts'
import { parseJsonBody, decodeTextBody as bodyOf } from '../net/content.ts'
import type { Reply } from '../net/http-client.ts'
import { pointValues, fillText } from './url-template.ts'
import { defineDriver, t } from './driver.ts'
import { isMarkup, excerptOf } from './reply.ts'
import { endpointHostOf } from './rest-request.ts'

/**
 * Soil Data Access: a question in SQL, answered with a table for each statement that has rows: its first row is the names of the columns,
 * and every value a text or null. Datasets with the same statements share a call, and each takes its own table.
 */
export const sdaDriver = defineDriver({
  shapes: ['document'],
  config: t.Object({
    endpoint: t.String({ pattern: '^https?://' }),
    /** The statements, each under a column that only its own table has. They may name `{lon}` and `{lat}`. */
    sql: t.Record(t.String(), t.String()),
    /** Under which of them the rows of the dataset come. */
    column: t.String(),
    note: t.Optional(t.String()),
  }),
  open({ endpoint, sql, column }, _shape, { net }) {
    if (net === null) return null
    const host = endpointHostOf(endpoint)
    const columns = Object.keys(sql)
    const source = async ({ at }: { at: Point }, budget: Budget) => {
      const body = JSON.stringify({
        query: fillText(Object.values(sql).join('; '), pointValues(at)),
        format: 'JSON+COLUMNNAME',
      })
      const reply = await net.send(
        { url: endpoint, method: 'POST', body, headers: { 'content-type': 'application/json' }, deduplicate: true },
        budget,
      )
      return parseTables(reply, columns, host).find(([names]) => names!.includes(column)) ?? []
    }
    return { source, vintage: null, remote: { host } }
  },
})

/** A statement without rows has no table, without so much as the names; when none has rows, the answer is `{}`. */
function parseTables(reply: Reply, columns: string[], host: string): Value[][][] {
  const text = bodyOf(reply)
  if (isMarkup(text)) throw reportError(text, host)
  const document = parseJsonBody(reply, host)
  if (!isRecord(document))
    throw new UpstreamError(
      'bad_response',
      `${host} answered with ${excerptOf(document)}, where an object was expected.`,
    )
  const tables = Object.values(document)
  if (tables.every(isTable) && tables.every(([names]) => columns.some((column) => names!.includes(column))))
    return tables
  throw new UpstreamError(
    'bad_response',
    `${host} answered with ${excerptOf(document)}, where tables with ${columns.join(' or ')} were expected.`,
  )
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

/** What a page or an XML report says: it is mended every night, it refuses the SQL, or nobody knows. */
function reportError(text: string, host: string): UpstreamError {
  if (/under daily maintenance/i.test(text))
    return new UpstreamError('upstream_5xx', `${host} is under its daily maintenance.`)
  const rejection = /<ServiceException[^<>]*>([^<]*)/.exec(text)?.[1]
  if (rejection !== undefined) return new UpstreamError('upstream_rejected', `${host} refused: ${excerptOf(rejection)}`)
  return new UpstreamError('bad_response', `${host} answered with a page, where JSON was expected.`)
}
