import { UpstreamError } from '../../model/error.ts'
import { nothingHere } from '../../model/document-markers.ts'
import type { Point } from '../../model/place.ts'
import type { Budget } from '../../model/source.ts'
import { decodeTextBody } from '../../net/content.ts'
import { absentSchema, createAbsentMatcher } from './absent-reply.ts'
import { defineDriver, t } from '../driver.ts'
import { unexpectedResponse } from '../driver-errors.ts'
import { isMarkup } from './reply.ts'
import { createCallBuilder, endpointHostOf } from './rest-request.ts'
import { parseJson } from '../../model/record.ts'

/** A service that returns a script. The list that it assigns to a variable is the document. It is never executed. */
export const restTextDriver = defineDriver({
  shapes: ['document'],
  config: t.Object({
    endpoint: t.String({ pattern: '^https?://' }),
    /**
     * The variable whose value is the list of lists, in JSON or with single quotes. Every script with a list has it.
     */
    variable: t.String({ pattern: '^\\w+$' }),
    /** The reply that means "nothing here". */
    absent: t.Optional(absentSchema),
    /** A text that only the answer to another request has, such as one in other units. */
    foreign: t.Optional(t.String({ minLength: 1 })),
    note: t.Optional(t.String()),
  }),
  open({ endpoint, variable, absent, foreign }, _shape, { net, now }, dataset) {
    const buildCall = createCallBuilder({ endpoint }, dataset, now)
    if (net === null || buildCall === null) return null
    const host = endpointHostOf(endpoint)
    const { acceptedStatuses, isAbsent } = createAbsentMatcher(absent)
    const source = async (query: { at: Point; key?: string }, budget: Budget) => {
      const reply = await net.send({ ...buildCall(query), acceptedStatuses }, budget)
      if (isAbsent(reply)) return nothingHere
      const text = decodeTextBody(reply)
      if (foreign !== undefined && text.includes(foreign))
        throw new UpstreamError(
          'schema_changed',
          `${host} returned the answer to a different request: the answer has ${foreign}.`,
        )
      return parseList(text, variable, host)
    }
    return { source, vintage: null, remote: { host } }
  },
})

/** Every script contains an assignment. Error texts and JSON do not. */
const assignmentPattern = /^[ \t]*[\w.]+[ \t]*=/m

function parseList(text: string, variable: string, host: string): unknown {
  if (isMarkup(text) || !assignmentPattern.test(text)) throw unexpectedResponse(host, 'a script', text)
  if (!text.includes(variable)) throw unexpectedResponse(host, `a script with ${variable}`, text)
  const found = findAssignedList(text, variable)
  if (found === null)
    throw new UpstreamError('bad_response', `${host} returned ${variable} without a complete list. Try again later.`)
  const json = found.replaceAll("'", '"')
  return parseJson(json, (cause) => unexpectedResponse(host, 'JSON', json, { cause }))
}

/**
 * The list of lists that a script assigns to a variable, up to the first `]];`; null if there is none. Takes linear
 * time, because a publisher writes the text.
 */
function findAssignedList(text: string, variable: string): string | null {
  for (let at = text.indexOf(variable); at >= 0; at = text.indexOf(variable, at + variable.length)) {
    const assignment = /^\s{0,9}=\s{0,9}(?=\[\[)/.exec(text.slice(at + variable.length, at + variable.length + 24))
    if (!assignment) continue
    const start = at + variable.length + assignment[0].length
    const end = text.indexOf(']];', start)
    return end < 0 ? null : text.slice(start, end + 2)
  }
  return null
}
