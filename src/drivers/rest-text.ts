import { UpstreamError } from '../model/error.ts'
import { nothingHere } from '../model/nothing-here.ts'
import type { Point } from '../model/place.ts'
import type { Budget } from '../model/source.ts'
import { decodeTextBody } from '../net/content.ts'
import { absentSchema, createAbsentMatcher } from './absent-reply.ts'
import { defineDriver, t } from './driver.ts'
import { unexpectedResponse } from './driver-errors.ts'
import { isMarkup } from './reply.ts'
import { createCallBuilder, endpointHostOf } from './rest-request.ts'

/**
 * A service that returns a script. A pattern finds the list in it, which is the document. The script is parsed, never
 * executed.
 */
export const restTextDriver = defineDriver({
  shapes: ['document'],
  config: t.Object({
    endpoint: t.String({ pattern: '^https?://' }),
    /** A pattern whose first group is the list, in JSON or with single quotes. */
    pattern: t.String(),
    /** A word that every response with a list contains. */
    holds: t.String(),
    /** The reply that means "nothing here". */
    absent: t.Optional(absentSchema),
    note: t.Optional(t.String()),
  }),
  open({ endpoint, pattern, holds, absent }, _shape, { net, now }, dataset) {
    const buildCall = createCallBuilder({ endpoint }, dataset, now)
    if (net === null || buildCall === null) return null
    const host = endpointHostOf(endpoint)
    const listPattern = new RegExp(pattern)
    const { acceptedStatuses, isAbsent } = createAbsentMatcher(absent)
    const source = async (query: { at: Point; key?: string }, budget: Budget) => {
      const reply = await net.send({ ...buildCall(query), acceptedStatuses }, budget)
      return isAbsent(reply) ? nothingHere : parseList(decodeTextBody(reply), listPattern, holds, host)
    }
    return { source, vintage: null, remote: { host } }
  },
})

/** Every script contains an assignment. Error texts and JSON do not. */
const assignmentPattern = /^[ \t]*[\w.]+[ \t]*=/m

function parseList(text: string, listPattern: RegExp, holds: string, host: string): unknown {
  if (isMarkup(text) || !assignmentPattern.test(text)) throw unexpectedResponse(host, 'a script', text)
  if (!text.includes(holds)) throw unexpectedResponse(host, `a script with ${holds}`, text)
  const found = listPattern.exec(text)?.[1]
  if (found === undefined)
    throw new UpstreamError('bad_response', `${host} returned ${holds} without a complete list. Try again later.`)
  return parseJsonText(found.replaceAll("'", '"'), host)
}

/** Parses JSON that a pattern extracted from a text. Throws `bad_response` if it is invalid. */
function parseJsonText(text: string, host: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unexpectedResponse(host, 'JSON', text, { cause })
  }
}
