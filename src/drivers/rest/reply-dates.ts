import { type HttpClient, type Reply, clientWithSend } from '../../net/http-client.ts'
import { newestTime } from '../harvest.ts'

/** A reply whose Last-Modified is this close to its Date was made for the request, so it does not date the data. */
const sameTime_ms = 60_000

/**
 * Sends the requests and returns the newest Last-Modified of their replies. Returns null as soon as a reply does not
 * state one.
 */
export async function readNewestLastModified(
  net: HttpClient,
  requests: readonly ((net: HttpClient) => Promise<unknown>)[],
): Promise<Date | null> {
  const times_ms: (number | null)[] = []
  const send: HttpClient['send'] = async (call, budget) => {
    const reply = await net.send(call, budget)
    if (reply.status < 300) times_ms.push(changeTimeOf(reply))
    return reply
  }
  const client = clientWithSend(net, send)
  for (const request of requests) {
    await request(client)
    if (times_ms.includes(null)) return null
  }
  return newestTime(times_ms)
}

function changeTimeOf({ headers }: Reply): number | null {
  const changed_ms = Date.parse(headers.get('last-modified') ?? '')
  const sent_ms = Date.parse(headers.get('date') ?? '')
  return Number.isNaN(changed_ms) || Math.abs(sent_ms - changed_ms) < sameTime_ms ? null : changed_ms
}
