import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import type { Budget } from '../model/source.ts'
import { createSingleFlight } from '../async/single-flight.ts'
import type { HttpClient } from '../net/http-client.ts'
import { identified, sampledYears } from './imageserver-cells.ts'
import { mosaicOf, type Year } from './imageserver-editions.ts'

/** Each question has its own time; this only ends what nobody would wait for. */
const flightMax_ms = 120_000

/**
 * Asks for the cell of a point in a year, as seldom as can be: the years of one moment at one point are one question. A year that its answer
 * leaves out is asked for alone, and all of them are when the service refuses to be asked for several.
 */
export function openYears(net: HttpClient): (asked: Asked, budget: Budget) => Promise<number | null> {
  const waiting: Waiting[] = []
  return (asked, budget) => new Promise((resolve, reject) => {
    waiting.push({ ...asked, budget, resolve, reject })
    if (waiting.length === 1) setImmediate(send)
  })

  function send(): void {
    for (const group of Map.groupBy(waiting.splice(0), ({ service, at }) => `${service} ${at.lat} ${at.lng}`).values()) {
      const cellOf = openCells(net, group[0]!, [...new Map(group.map(({ year }) => [year.year, year])).values()])
      for (const { year, budget, resolve, reject } of group) cellOf(year, budget).then(resolve, reject)
    }
  }
}

type Asked = { service: string; at: Point; year: Year }
type Waiting = Asked & { budget: Budget; resolve: (cell: number | null) => void; reject: (error: unknown) => void }

/** The cells of one point. Whoever gives up leaves, and takes nothing from the others of the moment. */
function openCells(net: HttpClient, { service, at, year: { attribute } }: Asked, years: Year[]): (year: Year, budget: Budget) => Promise<number | null> {
  const together = createSingleFlight<Awaited<ReturnType<typeof sampledYears>>>()
  const alone = createSingleFlight<number | null>()
  return async (year, budget) => {
    const told = years.length === 1 ? nothingTold : await together.join('', flightMax_ms, budget, (own) => sampledYears(net, service, { at, attribute, years }, own).catch(refused))
    const cell = told(year.year)
    return cell === undefined ? alone.join(String(year.year), flightMax_ms, budget, (own) => identified(net, service, { at, mosaic: mosaicOf([year]) }, own)) : cell
  }
}

/** A failure that passes is one of all the years. */
function refused(error: unknown): () => undefined {
  if (error instanceof UpstreamError && !error.retryable) return nothingTold
  throw error
}

function nothingTold(): undefined {
  return undefined
}
