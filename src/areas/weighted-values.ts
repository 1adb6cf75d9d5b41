import { roundedNumber } from './area-values.ts'

/** More values than this are counted in bins, so that the memory does not depend on the size of the area. */
const exactMax = 500_000
/** With more bins than this, each is made ten times as wide. */
const binsMax = 1_000_000

type Statistics = { mean: number; min: number; max: number; sd: number; p10: number; p50: number; p90: number }

/**
 * Numbers with weights. Their mean, extremes and standard deviation are exact. Percentiles are exact up to 500,000
 * numbers, and within half a `step` beyond that.
 */
export class WeightedValues {
  #values: number[] = []
  #weights: number[] = []
  #bins: Map<number, number> | null = null
  #step: number
  #origin: number | null = null
  #weight = 0
  #sum = 0
  #squares = 0
  #min = Infinity
  #max = -Infinity

  constructor(step: number) {
    this.#step = step
  }

  get isEmpty(): boolean {
    return this.#origin === null
  }

  add(value: number, weight: number): void {
    // Differences from the first value keep the digits of a small variance.
    this.#origin ??= value
    const difference = value - this.#origin
    this.#weight += weight
    this.#sum += weight * difference
    this.#squares += weight * difference * difference
    if (value < this.#min) this.#min = value
    if (value > this.#max) this.#max = value
    this.#values.push(value)
    this.#weights.push(weight)
    if (this.#values.length >= exactMax) this.#moveToBins()
  }

  /** The statistics of at least one value. */
  statistics(): Statistics {
    const shift = this.#sum / this.#weight
    const variance = Math.max(0, this.#squares / this.#weight - shift * shift)
    const [p10, p50, p90] = this.#percentiles()
    return {
      mean: roundedNumber(this.#origin! + shift),
      min: this.#min,
      max: this.#max,
      sd: roundedNumber(Math.sqrt(variance)),
      p10: p10!,
      p50: p50!,
      p90: p90!,
    }
  }

  #moveToBins(): void {
    const bins = (this.#bins ??= new Map<number, number>())
    for (const [i, value] of this.#values.entries()) {
      const bin = Math.round(value / this.#step)
      bins.set(bin, (bins.get(bin) ?? 0) + this.#weights[i]!)
    }
    this.#values = []
    this.#weights = []
    if (bins.size > binsMax) this.#widenBins(bins)
  }

  #widenBins(bins: Map<number, number>): void {
    this.#step *= 10
    const wider = new Map<number, number>()
    for (const [bin, weight] of bins) {
      const wide = Math.round(bin / 10)
      wider.set(wide, (wider.get(wide) ?? 0) + weight)
    }
    this.#bins = wider
  }

  /** The least values that at least 10, 50 and 90 % of the weight do not exceed. */
  #percentiles(): number[] {
    if (this.#bins) this.#moveToBins()
    const pairs: [value: number, weight: number][] = this.#bins
      ? [...this.#bins].map(([bin, weight]) => [Math.min(this.#max, Math.max(this.#min, bin * this.#step)), weight])
      : this.#values.map((value, i) => [value, this.#weights[i]!])
    pairs.sort(([a], [b]) => a - b)
    const found: number[] = []
    let sum = 0
    for (const [value, weight] of pairs) {
      sum += weight
      while (found.length < shares.length && sum >= shares[found.length]! * this.#weight * (1 - 1e-12))
        found.push(value)
    }
    return found
  }
}

const shares = [0.1, 0.5, 0.9]
