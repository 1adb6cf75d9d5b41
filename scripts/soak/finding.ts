/** A figure of a promise beside the bound it is held to, and whether it keeps it. */
export type Finding = { promise: string; figure: string; value: number; target: string; pass: boolean }

/** A long proof: what it takes minutes to find out. */
export type Suite = () => Promise<Finding[]>

/** A figure that may be so much at most. */
export function atMost(promise: string, figure: string, value: number, bound: number, unit = ''): Finding {
  return { promise, figure, value: rounded(value), target: `<= ${bound}${unit && ` ${unit}`}`, pass: value <= bound }
}

/** A figure that must be so much at least. */
export function atLeast(promise: string, figure: string, value: number, bound: number, unit = ''): Finding {
  return { promise, figure, value: rounded(value), target: `>= ${bound}${unit && ` ${unit}`}`, pass: value >= bound }
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
