import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import { isRecord } from '../model/record.ts'
import type { Budget, Value } from '../model/source.ts'
import { jsonOf, textOf as bodyOf } from '../net/content.ts'
import type { Reply } from '../net/net.ts'
import { namesIn, pointValues, textOf } from './address.ts'
import { driver, t } from './driver.ts'
import { isMarkup, shown } from './reply.ts'
import { hostOf } from './rest-question.ts'

/** Soil Data Access: a question in SQL, answered with a table: its first row is the names of the columns, and every value a text or null. */
export const sda = driver({
  shapes: ['document'],
  config: t.Object({
    endpoint: t.String({ pattern: '^https?://' }),
    /** Names `{lon}`, `{lat}`, and under any other name the key, which has digits only. */
    sql: t.String(),
    note: t.Optional(t.String()),
  }),
  open({ endpoint, sql }, _shape, { net }) {
    if (net === null) return null
    const host = hostOf(endpoint)
    const keyNames = namesIn(sql).filter((name) => name !== 'lat' && name !== 'lon')
    const source = async ({ at, key }: { at: Point; key?: string }, budget: Budget) => {
      if (keyNames.length > 0 && key !== undefined) checkDigits(key)
      const query = textOf(sql, { ...Object.fromEntries(keyNames.map((name) => [name, key])), ...pointValues(at) })
      const call = { url: endpoint, method: 'POST' as const, body: JSON.stringify({ query, format: 'JSON+COLUMNNAME' }), headers: { 'content-type': 'application/json' } }
      return tableOf(await net.ask(call, budget), host)
    }
    return { source, vintage: null, remote: { host } }
  },
})

function checkDigits(key: string) {
  if (!/^\d{1,20}$/.test(key)) throw new UpstreamError('bad_value', `A key of digits was expected, and it is ${JSON.stringify(key.slice(0, 100))}.`)
}

/** No rows at all is `{}`, without so much as the names. */
function tableOf(reply: Reply, host: string): Value[][] {
  const text = bodyOf(reply)
  if (isMarkup(text)) throw reportOf(text, host)
  const document = jsonOf(reply, host)
  if (!isRecord(document)) throw new UpstreamError('bad_response', `${host} answered with ${shown(document)}, where an object was expected.`)
  if (Object.keys(document).length === 0) return []
  const { Table: table } = document
  if (isTable(table)) return table
  throw new UpstreamError('bad_response', `${host} answered with ${shown(document)}, where a table of texts was expected.`)
}

function isTable(table: unknown): table is (string | null)[][] {
  return Array.isArray(table) && table.length > 0 && table.every((row) => Array.isArray(row) && row.length === table[0].length && row.every((value) => value === null || typeof value === 'string'))
}

/** What a page or an XML report says: it is mended every night, it refuses the SQL, or nobody knows. */
function reportOf(text: string, host: string): UpstreamError {
  if (/under daily maintenance/i.test(text)) return new UpstreamError('upstream_5xx', `${host} is under its daily maintenance.`)
  const refusal = /<ServiceException[^<>]*>([^<]*)/.exec(text)?.[1]
  if (refusal !== undefined) return new UpstreamError('upstream_rejected', `${host} refused: ${shown(refusal)}`)
  return new UpstreamError('bad_response', `${host} answered with a page, where JSON was expected.`)
}
