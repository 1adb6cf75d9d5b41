import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorResponseOf } from '../../src/http/request/errors.ts'
import { createLog } from '../../src/log.ts'
import { apiCodes, ApiError, upstreamCodes, type ApiCode } from '../../src/model/error.ts'

/**
 * The codes that the contract names. `from`: its table, the additions and corrections to it, or the public interface.
 * `status` is empty for a code that only an entry or a field has.
 */
const rows = readFileSync(join(import.meta.dir, '..', 'fixtures', 'error-codes.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [kind, code = '', status = '', retryable] = line.split('\t')
    return { kind, code, status: status === '' ? null : Number(status), retryable: retryable === 'yes' }
  })

/** Codes of what the contract leaves open: distances between points, a stored file that was changed, and the start. */
const codesOfOurs = [
  'mode_unsupported',
  'proximity_data_unavailable',
  'starting_up',
  'stored_data_damaged',
  'unknown_set',
]

test('every request error of the contract has its status, and the service has no others', () => {
  const codes = rows.filter(({ kind }) => kind === 'request')
  const known: Record<string, { status: number; retryable: boolean }> = apiCodes
  expect(
    codes.map(({ code, status }) => ({
      code,
      status: status === null ? null : known[code]?.status,
      retryable: known[code]?.retryable,
    })),
  ).toEqual(codes.map(({ code, status, retryable }) => ({ code, status, retryable })))
  expect(Object.keys(apiCodes).toSorted()).toEqual([...codes.map(({ code }) => code), ...codesOfOurs].toSorted())
})

test('every field error of the contract may be retried as it says, and there are no others', () => {
  const codes = rows.filter(({ kind }) => kind === 'field')
  expect(
    Object.entries(upstreamCodes)
      .map(([code, { retryable }]) => `${code} ${retryable}`)
      .toSorted(),
  ).toEqual(codes.map(({ code, retryable }) => `${code} ${retryable}`).toSorted())
})

test.each(Object.keys(apiCodes) as ApiCode[])('the response of %s says when to retry, or how to be let in', (code) => {
  const error = new ApiError(code, 'Why.', { required: ['fetch'], allow: 'GET', bytes: 1 })
  const { status, body, headers } = errorResponseOf(
    error,
    'r',
    createLog('error', () => {}),
  )
  const { status: due, retryable } = apiCodes[code]
  expect([status, body.detail]).toEqual([due, expect.objectContaining({ error: code, retryable })])
  expect(Number(headers['retry-after'] ?? 0) >= 1).toBe(retryable)
  expect(headers['www-authenticate']?.startsWith('Bearer realm=') ?? false).toBe(due === 401 || due === 403)
})
