/** A measured figure of a promise, its bound, and whether it is within the bound. */
export type Finding = { promise: string; figure: string; value: number; target: string; pass: boolean }

/** A test of promises that takes minutes. */
export type Suite = () => Promise<Finding[]>

type Bound = number | { bound: number; unit: string }

/** Returns the finding for a figure with an upper bound. */
export function atMost(promise: string, figure: string, value: number, limit: Bound): Finding {
  return { promise, figure, value: rounded(value), target: `<= ${textOf(limit)}`, pass: value <= boundOf(limit) }
}

/** Returns the finding for a figure with a lower bound. */
export function atLeast(promise: string, figure: string, value: number, limit: Bound): Finding {
  return { promise, figure, value: rounded(value), target: `>= ${textOf(limit)}`, pass: value >= boundOf(limit) }
}

function boundOf(limit: Bound): number {
  return typeof limit === 'number' ? limit : limit.bound
}

function textOf(limit: Bound): string {
  return typeof limit === 'number' ? String(limit) : `${limit.bound} ${limit.unit}`
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
