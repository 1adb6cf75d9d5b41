import { isRecord } from './record.ts'

/** Stands in a document in place of a part that failed while the rest came, and says why. It is plain JSON: whoever reads on through it is refused. */
export type FailedPart = { failed_part: string }

/** Whether a value stands for a part that failed. */
export function isFailedPart(value: unknown): value is FailedPart {
  return isRecord(value) && typeof value.failed_part === 'string'
}

/** How far down a document its parts lie at most. */
const maxDepth = 4

/** Whether a part of a document failed: such a document answers, and is not to be kept. */
export function isPartial(document: unknown, depth = 0): boolean {
  if (!isRecord(document) || depth > maxDepth) return false
  return isFailedPart(document) || Object.values(document).some((value) => isPartial(value, depth + 1))
}
