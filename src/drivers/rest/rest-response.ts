import type { Static, TObject } from '@sinclair/typebox'
import { compileJsonPath } from '../../model/json-path.ts'
import { type FailedMember, nothingHere } from '../../model/document-markers.ts'
import { literals } from '../../model/schema.ts'
import { compilePattern } from '../../model/pattern.ts'
import { isRecord, tryParseJson } from '../../model/record.ts'
import { readJsonBody, decodeTextBody } from '../../net/content.ts'
import { statusError } from '../../net/upstream-errors.ts'
import type { Reply } from '../../net/http-client.ts'
import { absentSchema, createAbsentMatcher } from './absent-reply.ts'
import { t } from '../driver.ts'
import { asSentence, upstreamRejection, unexpectedResponse } from '../driver-errors.ts'
import { excerptOf, isMarkup } from './reply.ts'
import { throwStructuredError } from './structured-error.ts'

const code = literals(['upstream_rejected', 'entitlement_missing', 'quota_exhausted', 'upstream_5xx', 'bad_response'])

/** The settings for parsing responses. */
export const responseSettings = {
  /** A path that every response must have, not null but possibly empty. `$.length`: the response is a list. */
  expects: t.Optional(t.String()),
  /** The reply that means "nothing here". */
  absent: t.Optional(absentSchema),
  /**
   * Responses that mean an error, and its code: a status, a pattern for a text in the document, or both. The first
   * match applies.
   */
  faults: t.Optional(
    t.Array(
      t.Object({
        status: t.Optional(t.Integer()),
        json_path: t.Optional(t.String()),
        matches: t.Optional(t.String()),
        /** A pattern for a page that the service sends instead of JSON. */
        page: t.Optional(t.String()),
        code,
      }),
    ),
  ),
  /** A path to parts that fail independently, and the member of a part's first record that contains the error. */
  parts: t.Optional(
    t.Object({
      json_path: t.String(),
      fault: t.String(),
      /**
       * The lists that the service may leave out if they are empty. A response leaves them out if none of its lists is
       * empty and it has the lists of `with`; then a list that it does not have is empty. Otherwise it is missing.
       */
      may_omit: t.Optional(t.Object({ with: t.Array(t.String()), lists: t.Array(t.String()) })),
    }),
  ),
}
type ResponseSettings = Static<TObject<typeof responseSettings>>

/** Creates the parser of a service's replies, and the statuses other than 2xx that it accepts. */
export function createReplyParser(
  { expects, absent, faults = [], parts }: ResponseSettings,
  host: string,
): { acceptedStatuses: number[]; parseReply: (reply: Reply) => Promise<unknown> } {
  const { acceptedStatuses, isAbsent } = createAbsentMatcher(absent)
  const findExpected = expects === undefined ? null : compileJsonPath(expects)
  const faultMatchers = faults.map(createFaultMatcher)
  const findParts = parts && compileJsonPath(parts.json_path)
  return {
    acceptedStatuses: [...acceptedStatuses, ...faults.flatMap(({ status }) => status ?? [])].filter(
      (status) => status < 200 || status > 299,
    ),
    parseReply,
  }

  async function parseReply(reply: Reply): Promise<unknown> {
    if (isAbsent(reply)) return nothingHere
    const isSuccess = reply.status >= 200 && reply.status <= 299
    for (const { matchPage, code } of faultMatchers) {
      const title = matchPage(reply)
      if (title !== null) throw upstreamRejection(code, host, title)
    }
    const document = isSuccess ? await readJsonBody(reply, host) : tryParseJson(decodeTextBody(reply))
    for (const { match, code } of faultMatchers) {
      const message = match(reply.status, document)
      if (message !== null)
        throw upstreamRejection(code, host, `status ${reply.status}${message === '' ? '' : `, ${message}`}`)
    }
    if (!isSuccess) throw statusError(reply.status, host)
    throwStructuredError(document, host)
    if (findExpected?.(document).every((it) => it === null))
      throw unexpectedResponse(host, `a document with ${expects}`, document)
    for (const group of findParts?.(document) ?? []) {
      if (parts!.may_omit) addOmittedLists(group, parts!.may_omit)
      markFailed(group, parts!.fault, host)
    }
    return document
  }
}

type FaultRule = NonNullable<ResponseSettings['faults']>[number]

/**
 * Creates the matcher of an error rule. It returns the error's own message (possibly empty), or null if the rule does
 * not match.
 */
function createFaultMatcher({ status, json_path, matches, page, code }: FaultRule): {
  code: FaultRule['code']
  matchPage: (reply: Reply) => string | null
  match: (status: number, document: unknown) => string | null
} {
  const find = json_path === undefined ? null : compileJsonPath(json_path)
  const passes = matches === undefined ? () => true : compilePattern(matches)
  const isPage = page === undefined ? () => false : compilePattern(page)
  const matchPage = (reply: Reply) => {
    const text = decodeTextBody(reply).slice(0, pageMax_characters)
    return isMarkup(text) && isPage(text) ? pageTitleOf(text) : null
  }
  const match = (replyStatus: number, document: unknown) => {
    if (page !== undefined) return null
    if (status !== undefined && status !== replyStatus) return null
    if (find === null) return ''
    const message = find(document).find((it) => typeof it === 'string' && passes(it))
    return message === undefined ? null : excerptOf(message)
  }
  return { code, match, matchPage }
}

const pageMax_characters = 4_000

function pageTitleOf(page: string): string {
  return excerptOf(/<title>([^<]*)/i.exec(page)?.[1] ?? 'a page instead of JSON')
}

/** Adds the empty lists that a response leaves out. */
function addOmittedLists(group: unknown, { with: required, lists }: { with: string[]; lists: string[] }): void {
  if (!isRecord(group) || !required.every((name) => isFilled(group[name]))) return
  if (!Object.values(group).every(isFilled)) return
  for (const name of lists) if (!Object.hasOwn(group, name)) group[name] = []
}

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0
}

/** Replaces each failed part with a marker, so that only fields that read it fail. */
function markFailed(group: unknown, faultMember: string, host: string): void {
  if (!isRecord(group)) return
  for (const [name, part] of Object.entries(group)) {
    const first: unknown = Array.isArray(part) ? part[0] : null
    if (!isRecord(first) || typeof first[faultMember] !== 'string') continue
    const failed: FailedMember = {
      failed_member: `${asSentence(`${host} returned an error for ${name}: ${excerptOf(first[faultMember])}`)} Try again later.`,
    }
    Object.defineProperty(group, name, { value: failed, enumerable: true })
  }
}
