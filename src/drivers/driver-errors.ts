import { UpstreamError, type UpstreamCode } from '../model/error.ts'
import { excerptOf, isMarkup } from './rest/reply.ts'

/**
 * `bad_response`: a response that does not have the expected form. `expected` is a noun such as `a list of features`.
 */
export function unexpectedResponse(
  name: string,
  expected: string,
  received: unknown,
  options?: ErrorOptions,
): UpstreamError {
  return new UpstreamError(
    'bad_response',
    `${name} returned ${summaryOf(received)} instead of ${expected}. Try again later.`,
    options,
  )
}

/** `bad_value`: the response has the expected form, but a value in it does not. */
export function unexpectedValue(name: string, expected: string, received: unknown): UpstreamError {
  return new UpstreamError(
    'bad_value',
    `${name} returned ${summaryOf(received)} instead of ${expected}. Report this to the publisher.`,
  )
}

/** The error for a request that the service itself rejected, with the reason it gave. */
export function upstreamRejection(code: UpstreamCode, name: string, reason: string): UpstreamError {
  return new UpstreamError(code, asSentence(`${name} rejected the request: ${reason}`) + (advice[code] ?? ''))
}

/** `unsupported_request`: the source cannot answer this read; another source of the dataset may. */
export function unsupportedRead(message: string): UpstreamError {
  return new UpstreamError('unsupported_request', `${message} Add another source of the dataset, such as a pack.`)
}

/** The error of a source of single cells that is queried for more. */
export function singlePointError(name: string): UpstreamError {
  return unsupportedRead(`${name} returns only one value at one point, but the field needs more.`)
}

/** The error of a source without yearly editions that is queried for an earlier one. */
export function missingEditionError(name: string, edition: number): UpstreamError {
  return unsupportedRead(`${name} has no yearly editions, but the field needs the edition from ${-edition} years ago.`)
}

/** The error of a source that searches within a radius and got none. */
export function missingRadiusError(name: string): UpstreamError {
  return new UpstreamError(
    'unsupported_request',
    `${name} searches within a radius, but the definition of the field has no radius. Use an operator with a radius.`,
  )
}

/** The error of a table that is queried without a key. */
export function missingKeyError(): UpstreamError {
  return new UpstreamError(
    'unsupported_request',
    'Rows of the table are found by key, but the definition of the field has no key. Set `key` under `read` in the field.',
  )
}

/** A text with a period at its end. */
export function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

const advice: Partial<Record<UpstreamCode, string>> = {
  rate_limited: ' Try again later.',
  upstream_5xx: ' Try again later.',
  bad_response: ' Try again later.',
  quota_exhausted: ' Try again when the quota resets.',
  entitlement_missing: ' Check the API key.',
}

function summaryOf(received: unknown): string {
  if (typeof received === 'string' && isMarkup(received)) return 'an HTML or XML page'
  return excerptOf(received) || 'nothing'
}
