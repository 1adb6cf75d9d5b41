/** The cost at one size, and what else was measured there. */
export type GrowthStep = { size: number; cost: number; note?: string }

/** How a cost grows with one quantity. `end` says where the growth ends. */
export type GrowthAxis = {
  what: string
  measured: string
  unit: string
  steps: GrowthStep[]
  end: string
  /** The cost of another program, in the same unit. No steps: it is not installed. */
  peer?: { name: string; steps: GrowthStep[] }
}

/** The columns of the table. */
export const growthColumns = ['what grows', 'cost', 'size: cost', 'power', 'where it ends', 'a peer']

/** The cells of an axis in the table. */
export function growthCellsOf({ what, measured, unit, steps, end, peer }: GrowthAxis): string[] {
  const peerCell = peer ? `${peer.name}: ${peer.steps.length > 0 ? costsOf(peer.steps) : 'not installed'}` : ''
  return [what, `${measured}, ${unit}`, costsOf(steps), powerOf(steps).toFixed(2), end, peerCell]
}

function costsOf(steps: GrowthStep[]): string {
  return steps
    .map(({ size, cost, note }) => `${size.toLocaleString('en-US')}: ${shown(cost)}${note ? ` (${note})` : ''}`)
    .join('; ')
}

/** The exponent of the power law that fits the costs best (least squares of the logarithms). */
function powerOf(steps: GrowthStep[]): number {
  const points = steps.map(({ size, cost }) => [Math.log(size), Math.log(cost)] as const)
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  return covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
}

function shown(cost: number): string {
  return cost >= 100 ? cost.toFixed(0) : cost.toPrecision(2)
}
