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
