import { UpstreamError, schemaChangedError } from '../../model/error.ts'
import { numberOf } from '../../geo/attribute.ts'
import type { Point } from '../../model/place.ts'
import type { Budget } from '../../model/source.ts'
import { decodeTextBody } from '../../net/content.ts'
import { defineDriver, t } from '../driver.ts'
import { unexpectedResponse, unexpectedValue } from '../driver-errors.ts'
import { columnsOf, statisticOf, statisticSchema } from './hourly-statistics.ts'
import { redactKey } from './reply.ts'
import { createCallBuilder, endpointHostOf } from './rest-request.ts'
import { createReplyParser, responseSettings } from './rest-response.ts'

/**
 * A service that returns the hours of a year as CSV, with lines about the place above the column names. The document has
 * only statistics of the hours, because the hours would fill the cache.
 */
export const hourlyCsvDriver = defineDriver({
  shapes: ['document'],
  config: t.Object({
    endpoint: t.String({ pattern: '^https?://' }),
    /** The years that are requested together, each as `{year}`. */
    years: t.Optional(t.Array(t.Integer(), { minItems: 1, maxItems: 8 })),
    statistics: t.Record(t.String(), statisticSchema),
    faults: responseSettings.faults,
    note: t.Optional(t.String()),
  }),
  open({ endpoint, years = [0], statistics, faults }, _shape, { net, now }, dataset) {
    const endpoints = years.map((year) => endpoint.replaceAll('{year}', String(year)))
    const callBuilders = endpoints.map((it) => createCallBuilder({ endpoint: it }, dataset, now))
    if (net === null || callBuilders.some((it) => it === null)) return null
    const host = endpointHostOf(endpoint)
    const titles = [...new Set(Object.values(statistics).flatMap(columnsOf))]
    const { acceptedStatuses, parseReply } = createReplyParser({ ...(faults && { faults }) }, host)
    const readYear = async (call: ReturnType<NonNullable<(typeof callBuilders)[0]>>, budget: Budget) => {
      const reply = redactKey(await net.send({ ...call, acceptedStatuses }, budget), dataset.key)
      if (reply.status < 200 || reply.status > 299) await parseReply(reply)
      return parseYear(decodeTextBody(reply), titles, host)
    }
    const source = async (query: { at: Point }, budget: Budget) => {
      const loaded = await Promise.all(callBuilders.map((buildCall) => readYear(buildCall!(query), budget)))
      const columnNamed = (title: string) => loaded.flatMap((columns) => columns.get(title)!)
      return {
        statistics: Object.fromEntries(
          Object.entries(statistics).map(([name, statistic]) => [name, statisticOf(statistic, columnNamed)]),
        ),
      }
    }
    return { source, vintage: null, remote: { host } }
  },
})

const titleLinesMax = 10
const hoursMin = 8760
const hoursMax = 8784

/** The values of the columns whose titles start with these texts. */
function parseYear(text: string, titles: string[], host: string): Map<string, number[]> {
  const lines = text.split(/\r?\n/)
  const head = lines.slice(0, titleLinesMax).findIndex((line) => /^"?year"?,/i.test(line))
  if (head < 0) throw unexpectedResponse(host, 'hours of a year as CSV', text)
  const hours = lines.slice(head + 1).filter((line) => line !== '')
  if (hours.length < hoursMin || hours.length > hoursMax)
    throw new UpstreamError(
      'bad_response',
      `${host} returned ${hours.length} hours of a year instead of ${hoursMin} to ${hoursMax}. Try again later.`,
    )
  const names = lines[head]!.split(',').map((name) => name.replaceAll('"', '').trim().toLowerCase())
  const rows = hours.map((line) => line.split(','))
  return new Map(
    titles.map((title) => {
      const column = columnOf(names, title)
      if (column < 0) throw schemaChangedError([title], names)
      return [title, rows.map((row) => parseHour(row[column], host))]
    }),
  )
}

/** The column with the title, or the only one that begins with it and has a unit. */
function columnOf(names: string[], title: string): number {
  const name = title.toLowerCase()
  const exact = names.indexOf(name)
  return exact >= 0 ? exact : names.findIndex((it) => it.startsWith(`${name} (`))
}

function parseHour(text: string | undefined, host: string): number {
  const value = text === undefined || text.trim() === '' ? null : numberOf(text.trim())
  if (value === null || !Number.isFinite(value))
    throw unexpectedValue(host, 'a number for each hour', text ?? 'nothing')
  return value
}
