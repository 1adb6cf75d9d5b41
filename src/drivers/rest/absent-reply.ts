import { Type as t, type Static } from '@sinclair/typebox'
import { compileJsonPath } from '../../model/json-path.ts'
import { compilePattern } from '../../model/pattern.ts'
import { decodeTextBody } from '../../net/content.ts'
import type { Reply } from '../../net/http-client.ts'
import { tryParseJson } from '../../model/record.ts'

/**
 * The reply by which a service says "nothing here". All members that are given must hold: the status (default: any of
 * 2xx), a pattern for the body as text, and a pattern for a text at a path in the document.
 */
export const absentSchema = t.Object({
  statuses: t.Optional(t.Array(t.Integer())),
  text: t.Optional(t.String()),
  json_path: t.Optional(t.String()),
  matches: t.Optional(t.String()),
})

/** The declaration of that reply. */
export type AbsentReply = Static<typeof absentSchema>

/** The statuses other than 2xx that say "nothing here" if the body does too, and whether a reply says it. */
type AbsentMatcher = { acceptedStatuses: number[]; isAbsent: (reply: Reply) => boolean }

/** Creates the matcher of a service; without a declaration no reply says "nothing here". */
export function createAbsentMatcher(absent: AbsentReply | undefined): AbsentMatcher {
  if (absent === undefined) return { acceptedStatuses: [], isAbsent: () => false }
  const { statuses, text, json_path, matches = '.' } = absent
  const isText = text === undefined ? () => true : compilePattern(text)
  const find = json_path === undefined ? null : compileJsonPath(json_path)
  const isMember = compilePattern(matches)
  const isMemberOf = (body: string) =>
    find === null || find(tryParseJson(body)).some((it) => typeof it === 'string' && isMember(it))
  return {
    acceptedStatuses: (statuses ?? []).filter((status) => !isSuccess(status)),
    isAbsent(reply) {
      if (!(statuses?.includes(reply.status) ?? isSuccess(reply.status))) return false
      const body = decodeTextBody(reply)
      return isText(body) && isMemberOf(body)
    },
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299
}
