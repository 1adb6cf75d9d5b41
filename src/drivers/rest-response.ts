import type { Static, TObject } from '@sinclair/typebox'
import { UpstreamError } from '../model/error.ts'
import { compileJsonPath } from '../model/json-path.ts'
import type { FailedPart } from '../model/failed-part.ts'
import { compilePattern } from '../model/pattern.ts'
import { isRecord } from '../model/record.ts'
import { parseJsonBody, decodeTextBody } from '../net/content.ts'
import { statusError } from '../net/upstream-errors.ts'
import type { Reply } from '../net/http-client.ts'
import { t } from './driver.ts'
import { excerptOf } from './reply.ts'
import { throwStructuredError } from './structured-error.ts'

const code = t.Union([
  t.Literal('upstream_rejected'),
  t.Literal('entitlement_missing'),
  t.Literal('quota_exhausted'),
  t.Literal('upstream_5xx'),
  t.Literal('bad_response'),
])

/** The settings that say how the answer of a service is read. */
export const responseSettings = {
  /** Where what is asked for must stand in every answer, be it empty; one without it is no answer. `$.length`: it is a list. */
  expects: t.Optional(t.String()),
  /** What says "nothing here": statuses, and bodies of text that match. */
  absent: t.Optional(t.Object({ statuses: t.Optional(t.Array(t.Integer())), text: t.Optional(t.String()) })),
  /** What says that it failed, and by which code: a status, a text in the document that matches, or both. The first that fits counts. */
  faults: t.Optional(
    t.Array(
      t.Object({
        status: t.Optional(t.Integer()),
        json_path: t.Optional(t.String()),
        matches: t.Optional(t.String()),
        code,
      }),
    ),
  ),
  /** The parts side by side below a path that fail each for itself, and the member of a part's first record that then says why. */
  parts: t.Optional(t.Object({ json_path: t.String(), fault: t.String() })),
}
type ResponseSettings = Static<TObject<typeof responseSettings>>

/** How the replies of a service become documents, and the statuses (beyond 2xx) that are read for it. */
export function createReplyParser(
  { expects, absent = {}, faults = [], parts }: ResponseSettings,
  host: string,
): { acceptedStatuses: number[]; parseReply: (reply: Reply) => unknown } {
  const { statuses = [], text } = absent
  const isAbsentText = text === undefined ? () => false : compilePattern(text)
  const findExpected = expects === undefined ? null : compileJsonPath(expects)
  const faultMatchers = faults.map(createFaultMatcher)
  const findParts = parts && compileJsonPath(parts.json_path)
  return {
    acceptedStatuses: [...statuses, ...faults.flatMap(({ status }) => status ?? [])].filter(
      (status) => status < 200 || status > 299,
    ),
    parseReply,
  }

  function parseReply(reply: Reply): unknown {
    if (statuses.includes(reply.status)) return []
    const isSuccess = reply.status >= 200 && reply.status <= 299
    if (isSuccess && isAbsentText(decodeTextBody(reply))) return []
    const document = isSuccess ? parseJsonBody(reply, host) : tryParseJson(decodeTextBody(reply))
    for (const { match, code } of faultMatchers) {
      const message = match(reply.status, document)
      if (message !== null)
        throw new UpstreamError(
          code,
          `${host} refused (status ${reply.status})${message === '' ? '' : `: ${message}`}.`,
        )
    }
    if (!isSuccess) throw statusError(reply.status, host)
    throwStructuredError(document, host)
    if (findExpected?.(document)?.length === 0 || findExpected?.(document) === null)
      throw new UpstreamError(
        'bad_response',
        `${host} answered without ${expects}, where it should stand: ${excerptOf(document)}`,
      )
    for (const group of findParts?.(document) ?? []) markFailed(group, parts!.fault, host)
    return document
  }
}

type FaultRule = NonNullable<ResponseSettings['faults']>[number]

/** Says what a fault that fits says for itself (perhaps nothing), and `null` when it does not fit. */
function createFaultMatcher({ status, json_path, matches, code }: FaultRule): {
  code: FaultRule['code']
  match: (status: number, document: unknown) => string | null
} {
  const find = json_path === undefined ? null : compileJsonPath(json_path)
  const passes = matches === undefined ? () => true : compilePattern(matches)
  const match = (replyStatus: number, document: unknown) => {
    if (status !== undefined && status !== replyStatus) return null
    if (find === null) return ''
    const message = find(document)?.find((it) => typeof it === 'string' && passes(it))
    return message === undefined ? null : excerptOf(message)
  }
  return { code, match }
}

/** What a status brings along may be a document or a page: the status tells enough. */
function tryParseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

/** Puts a mark in the place of each part that failed, so that only who reads it fails. */
function markFailed(group: unknown, faultMember: string, host: string): void {
  if (!isRecord(group)) return
  for (const [name, part] of Object.entries(group)) {
    const first: unknown = Array.isArray(part) ? part[0] : null
    if (!isRecord(first) || typeof first[faultMember] !== 'string') continue
    const failed: FailedPart = { failed_part: `${host} could not give ${name}: ${excerptOf(first[faultMember])}` }
    Object.defineProperty(group, name, { value: failed, enumerable: true })
  }
}
