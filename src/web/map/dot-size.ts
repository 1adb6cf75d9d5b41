import type { ExpressionSpecification } from 'maplibre-gl'

/** From so many dots on they are as small as they get. */
const maxDots = 10_000
/** The radius from afar: of a few dots, and of as many as there can be. */
const [maxFar_px, minFar_px] = [4.5, 1.6]
const close_px = 7

/** How large dots are drawn, by how many there are: from afar many are small, so that they do not hide each other; from near by all are large. */
export function dotSize(count: number): { radius: ExpressionSpecification; stroke: ExpressionSpecification } {
  const share = Math.min(1, Math.log10(Math.max(1, count / 100)) / Math.log10(maxDots / 100))
  const far_px = maxFar_px + (minFar_px - maxFar_px) * share
  return {
    radius: ['interpolate', ['exponential', 1.5], ['zoom'], 3, far_px, 11, close_px],
    stroke: ['interpolate', ['linear'], ['zoom'], 3, 1 - share, 8, 1],
  }
}
