import { mapTexts } from '../model/record.ts'

/** The maximum size of a tool result. A larger one would push the task out of an agent's context window. */
export const outputMax_bytes = 50_000

/** The maximum text lengths to try, in order, until the output fits. */
const textLimits = [4000, 1000, 300, 80]

/**
 * Shortens long texts until the output fits into `outputMax_bytes`. The member `shortened` says whether any text was.
 */
export function fitOutput(output: Record<string, unknown>): Record<string, unknown> {
  const complete = { ...output, shortened: false }
  if (jsonBytesOf(complete) <= outputMax_bytes) return complete
  for (const max of textLimits) {
    const shorten = (text: string) => (text.length > max ? `${text.slice(0, max - 1)}…` : text)
    const shorter = { ...(mapTexts(output, shorten) as Record<string, unknown>), shortened: true }
    if (jsonBytesOf(shorter) <= outputMax_bytes) return shorter
  }
  throw new Error(
    `The tool output is larger than ${outputMax_bytes} bytes even after its texts were shortened. Request fewer fields or results.`,
  )
}

/** The size of a value as JSON, in bytes. */
export function jsonBytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
