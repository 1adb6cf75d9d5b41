import { isRecord } from './record.ts'

/**
 * Replaces a part of a document that could not be fetched, and holds the error message. It is plain JSON. A JSON path
 * that leads through it throws `bad_response`.
 */
export type FailedPart = { failed_part: string }

/** Whether a value is a `FailedPart`. */
export function isFailedPart(value: unknown): value is FailedPart {
  return isRecord(value) && typeof value.failed_part === 'string'
}

/** The deepest level at which a document holds parts. */
const maxDepth = 4

/** Whether a part of a document failed. Such a document can be read, but must not be cached. */
export function isPartial(document: unknown, depth = 0): boolean {
  if (!isRecord(document) || depth > maxDepth) return false
  return isFailedPart(document) || Object.values(document).some((value) => isPartial(value, depth + 1))
}
