import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import type { Budget } from '../model/source.ts'
import { defineDriver, t } from './driver.ts'
import { isMarkup, parseJsonText, excerptOf } from './reply.ts'
import { createCallBuilder, endpointHostOf } from './rest-request.ts'

/** A service that answers with a script, in which a pattern finds the list that is the document: it is read, and never run. */
export const restTextDriver = defineDriver({
  shapes: ['document'],
  config: t.Object({
    endpoint: t.String({ pattern: '^https?://' }),
    /** Its first group is the list, in JSON or with single quotes. */
    pattern: t.String(),
    /** The word of every answer that has the list: one without it says "nothing here", one with it and no list breaks off. */
    holds: t.String(),
    note: t.Optional(t.String()),
  }),
  open({ endpoint, pattern, holds }, _shape, { net, now }, dataset) {
    const buildCall = createCallBuilder({ endpoint }, dataset, now)
    if (net === null || buildCall === null) return null
    const host = endpointHostOf(endpoint)
    const listPattern = new RegExp(pattern)
    const source = async (query: { at: Point; key?: string }, budget: Budget) =>
      parseList(await net.fetchText(buildCall(query), budget), listPattern, holds, host)
    return { source, vintage: null, remote: { host } }
  },
})

/** What a script has at least. An error in a word or in JSON has none, and is no "nothing here". */
const assignmentPattern = /^[ \t]*[\w.]+[ \t]*=/m

function parseList(text: string, listPattern: RegExp, holds: string, host: string): unknown {
  if (isMarkup(text) || text.trim() === '')
    throw new UpstreamError('bad_response', `${host} answered with a page or nothing, where a script was expected.`)
  if (!assignmentPattern.test(text))
    throw new UpstreamError('bad_response', `${host} answered with ${excerptOf(text)}, where a script was expected.`)
  if (!text.includes(holds)) return []
  const found = listPattern.exec(text)?.[1]
  if (found === undefined)
    throw new UpstreamError('bad_response', `${host} answered with ${holds}, and the list after it breaks off.`)
  return parseJsonText(found.replaceAll("'", '"'), host)
}
