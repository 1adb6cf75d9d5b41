import { isRecord } from './record.ts'

/**
 * The document of a service that said that it has nothing at the place, in a form that its record declares. It is plain
 * JSON, so that it can be cached. A list or an object of the publisher without records is not this.
 */
export const nothingHere = { nothing_here: true } as const

/** Whether a document is `nothingHere`. */
export function isNothingHere(document: unknown): boolean {
  return isRecord(document) && document.nothing_here === true
}

/**
 * Replaces a member of a document that could not be fetched, and holds the error message. It is plain JSON. A JSON path
 * that leads through it throws `bad_response`.
 */
export type FailedMember = { failed_member: string }

/** Whether a value is a `FailedMember`. */
export function isFailedMember(value: unknown): value is FailedMember {
  return isRecord(value) && typeof value.failed_member === 'string'
}

/** The deepest level at which a member is looked for. */
const maxDepth = 4

/** Whether a member of a document failed. Such a document can be read, but must not be cached. */
export function isPartial(document: unknown, depth = 0): boolean {
  if (!isRecord(document) || depth > maxDepth) return false
  return isFailedMember(document) || Object.values(document).some((value) => isPartial(value, depth + 1))
}
