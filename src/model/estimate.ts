import { literals } from './schema.ts'

/** The margin of error of an estimate at 90 % confidence; null if there is none. `note` says why it is 0 or null. */
export type Margin = { moe_90: number | null; note?: string }

/** A value that was estimated from a sample. A class, so that it cannot be confused with a value. */
export class Estimate {
  readonly value: number
  readonly margin: Margin

  constructor(value: number, margin: Margin) {
    this.value = value
    this.margin = margin
  }
}

/** How far an estimate can be relied on. */
export const Reliability = literals(['high', 'medium', 'low'], {
  description:
    'How reliable the estimate is, by its coefficient of variation (moe_90 / 1.645 / value): high up to 12 %, medium up to 40 %, else low. Missing if there is no margin of error, or if the value is 0 and moe_90 is above 0.',
})
type ReliabilityLevel = 'high' | 'medium' | 'low'

/** The number of standard errors in a margin of error at 90 % confidence. */
const standardErrors = 1.645
const [highMax, mediumMax] = [0.12, 0.4]

/** Returns the reliability of an estimate; null if its coefficient of variation is not defined. */
export function reliabilityOf(value: number, moe_90: number | null): ReliabilityLevel | null {
  if (moe_90 === null) return null
  if (moe_90 === 0) return 'high'
  if (value === 0) return null
  const variation = moe_90 / standardErrors / Math.abs(value)
  return variation <= highMax ? 'high' : variation <= mediumMax ? 'medium' : 'low'
}
