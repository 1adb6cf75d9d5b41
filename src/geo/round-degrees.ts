/** Degrees rounded to a number of decimals. Seven decimals are about a centimeter. */
export function roundDegrees(degrees: number, decimals = 7): number {
  return Number(degrees.toFixed(decimals))
}
